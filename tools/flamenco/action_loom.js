// SPDX-License-Identifier: GPL-3.0-or-later

// A job type of Flamenco 3: the jobs of a file of Action Loom, on the actions of the submitted .blend, in so many tasks
// for as many workers. Copy it into the folder `scripts` beside flamenco-manager. docs/farms.md says what workers need.

const JOB_TYPE = {
    label: "Action Loom Jobs",
    description: "Weave what an Action Loom job file (.toml) lists, shared by the workers",
    settings: [
        { key: "job_file", type: "string", subtype: "file_path", required: true,
          description: "The job file, on a disk that all workers share" },
        { key: "parts", type: "int32", default: 8, propargs: {min: 1, max: 10000}, visible: "submission",
          description: "How many tasks share the jobs; some for each worker" },
        { key: "copy", type: "string", subtype: "file_path", default: "",
          description: "Save results as actions in copies of the .blend, named after this one: a copy for each task. " +
                       "If empty, only the motion files are made that the job file names" },
        { key: "engine", type: "string", choices: ["auto", "numba", "numpy"], default: "auto",
          description: "What computes the recurrences" },
        { key: "overwrite", type: "bool", default: true,
          description: "Overwrite files that exist; a task that is tried again finds those of its first try" },

        // Set when the file is submitted:
        { key: "blendfile", type: "string", required: true, visible: "web",
          description: "The .blend whose actions are woven" },
    ]
};

function compileJob(job) {
    const settings = job.settings;
    const count = settings.parts;
    if (!(count >= 1) || Math.floor(count) != count) {
        throw `parts is ${count}, but must be a whole number from 1 on`;
    }
    for (let part = 1; part <= count; part++) {
        const task = author.Task(`part-${part}-of-${count}`, "blender");
        task.addCommand(author.Command("blender-render", {
            exe: "{blender}",
            exeArgs: "{blenderArgs}",
            argsBefore: ["--background"],
            blendfile: settings.blendfile,
            args: loomArguments(settings, part),
        }));
        job.addTask(task);
    }
}

// The command line inside Blender: all after its name is Action Loom's.
function loomArguments(settings, part) {
    const given = ["--command", "action_loom", "run", settings.job_file, "--part", `${part}/${settings.parts}`];
    if (settings.copy) {
        given.push("-o", settings.copy);
    }
    if (settings.engine && settings.engine != "auto") {
        given.push("--engine", settings.engine);
    }
    if (settings.overwrite) {
        given.push("--force");
    }
    return given;
}
