// find_failures(): what is left when a functionality that a cut made several sub-transactions of
// does not get to its end.
//
// Each border between two sub-transactions is a place to stop at: `borders` finds them in the
// unfolded functionality, so that one in a loop is one for each round. There the caller may stop for
// good, stop and have compensations run, or lose the answer and call once more. None of that is
// concurrent, so that neither new searches nor new stores are needed: a functionality that stops is
// a program, too (`stopped` makes it), a second try is a second call, a compensation is a call of a
// routine that the user gives, and a run is these calls one after the other. What they are to be
// compared with is the same functionality whole, and nothing at all, on the same rows. Rows and
// arguments come from the solver, which is asked for a call of the whole functionality that gets to
// the border, has written before and will write after. A reader of what never completes is a
// dependency from a write before the border to a read of somebody else, whose call comes behind the
// border and before the compensations.
//
// Statically a stop is harmless where nothing is written before or nothing after; so is a second
// call whose repeated writes leave what they left (`repeats`). What is decided so is not executed.
// Everything else is possible until it has been executed. That leaves out a crash in the middle of a
// sub-transaction, which its service undoes; failures of a second call; and several failures at a
// time (Garcia-Molina and Salem, "Sagas", 1987).
