import * as commander from 'commander'
import type * as typed from '@commander-js/extra-typings'

/** Commander's classes, with types by which the options of a command type its handler. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other package is these classes
export const { Argument, Command, Option } = commander as unknown as typeof typed
