# Plays the actions of set.glb and writes where the bones are at the seconds of asked.json (name: seconds) to played.json.
extends SceneTree

func _init():
	var scene = load("res://set.glb").instance()
	get_root().add_child(scene)
	var player = first_player(scene)
	var asked = JSON.parse(text_of("res://asked.json")).result
	var played = {}
	for name in asked:
		if player.has_animation(name):
			player.play(name)
			played[name] = []
			for seconds in asked[name]:
				player.seek(seconds, true)
				played[name].append(places(scene, {}))
	var file = File.new()
	file.open("res://played.json", File.WRITE)
	file.store_string(JSON.print(played))
	file.close()
	quit()

func text_of(path):
	var file = File.new()
	file.open(path, File.READ)
	var text = file.get_as_text()
	file.close()
	return text

func first_player(node):
	if node is AnimationPlayer:
		return node
	for child in node.get_children():
		var found = first_player(child)
		if found:
			return found
	return null

# Bones of a mesh are a skeleton's; those that move no mesh are nodes.
func places(node, into):
	if node is Skeleton:
		for bone in node.get_bone_count():
			put(into, node.get_bone_name(bone), node.global_transform * node.get_bone_global_pose(bone))
	elif node is Spatial:
		put(into, node.name, node.global_transform)
	for child in node.get_children():
		places(child, into)
	return into

func put(into, name, where):
	into[name] = [where.origin.x, where.origin.y, where.origin.z]
