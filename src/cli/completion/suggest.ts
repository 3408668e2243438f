import type { Argument, CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings'

export interface Suggestion {
  readonly value: string
  readonly about: string
}

/** Names that come from the configuration. */
export interface Names {
  readonly servers: () => readonly string[]
  readonly agents: () => readonly string[]
}

/** Returns what may come next after `words`, the last of which is being typed. */
export function suggest(program: Command, words: readonly string[], names: Names): Suggestion[] {
  const typed = words.at(-1) ?? ''
  const { command, given, pending } = follow(program, words.slice(0, -1))
  const found = pending
    ? choicesOf(pending)
    : typed.startsWith('-')
      ? optionsOf(command)
      : [...commandsOf(command), ...argumentsOf(command, given, names)]
  return found.filter(({ value }) => value.startsWith(typed))
}

/** Walks down the commands; `pending` is an option that still needs its value. */
function follow(program: Command, words: readonly string[]) {
  let command = program
  let given = 0
  let pending: Option | undefined
  for (const word of words) {
    if (pending) {
      pending = undefined
      continue
    }
    if (word.startsWith('-')) {
      const option = command.options.find(({ short, long }) => word === short || word === long)
      pending = option?.required ? option : undefined
      continue
    }
    const inner = command.commands.find((each) => each.name() === word)
    if (inner && given === 0) command = inner
    else given++
  }
  return { command, given, pending }
}

function commandsOf(command: Command): Suggestion[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), about: each.description() }))
}

function optionsOf(command: Command): Suggestion[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, short, description }) => ({ value: long ?? short ?? '', about: description }))
}

function choicesOf({ argChoices, description }: Option): Suggestion[] {
  return (argChoices ?? []).map((value) => ({ value, about: description }))
}

function argumentsOf(command: Command, given: number, names: Names): Suggestion[] {
  const expected = command.registeredArguments
  const argument = expected[given] ?? expected.findLast(({ variadic }) => variadic)
  return argument ? valuesOf(argument, names) : []
}

function valuesOf(argument: Argument, { servers, agents }: Names): Suggestion[] {
  const kind = argument.name()
  const values =
    argument.argChoices ?? (kind === 'server' ? servers() : kind === 'agent' ? agents() : [])
  return values.map((value) => ({ value, about: kind }))
}
