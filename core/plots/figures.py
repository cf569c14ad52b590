"""Figures with the title and the layout that all pictures share."""

from matplotlib.figure import Figure


def new_figure(title: str, width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches; its title is shown as it is, also with `$`.

    Example:
        >>> from action_loom.core.plots import figures
        >>> figures.new_figure("walk", 9.0, 7.0).get_suptitle()
        'walk'
    """
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.suptitle(title, parse_math=False)
    return figure
