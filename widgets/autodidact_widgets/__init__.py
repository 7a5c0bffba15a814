"""The live stepper: `show(loss)` runs a backward pass node by node, in the notebook.

Example:
    >>> from autodidact_widgets import show
    >>> show(loss)
"""

from autodidact_widgets.clinic import ClinicStepper, clinic
from autodidact_widgets.compare import SideBySide, compare
from autodidact_widgets.debug import debug
from autodidact_widgets.film import FilmStepper, film
from autodidact_widgets.notebook import watch_cells
from autodidact_widgets.notice import Notice, Snapshot
from autodidact_widgets.own import show_own
from autodidact_widgets.picture import Picture, picture
from autodidact_widgets.show import Stepper, show
from autodidact_widgets.torch_view import TorchStepper

__all__ = ["ClinicStepper", "FilmStepper", "Notice", "Picture", "SideBySide", "Snapshot", "Stepper",
           "TorchStepper", "clinic", "compare", "debug", "film", "picture", "show", "show_own"]

watch_cells()
