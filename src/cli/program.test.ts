import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { describe, expect, it } from 'vitest'
import { SURFACE_NAMES } from '../gateway/request.ts'
import { createProgram } from './program.ts'

const namesIn = async (words?: readonly string[]): Promise<string[]> =>
  (await createProgram(words)).commands.map((command) => command.name())

/** What `check` is given when these words are typed. */
async function flagsOfCheck(...words: string[]): Promise<unknown> {
  const program = await createProgram(words)
  const seen: unknown[] = []
  const check = program.commands.find((one) => one.name() === 'check')
  check?.action((...given) => void seen.push(given.at(-2)))
  await program.parseAsync(words, { from: 'user' })
  return seen[0]
}

/** The names of the commands in the help for these words. */
async function listedBy(...words: string[]): Promise<string[]> {
  const program = await createProgram(words)
  return program
    .createHelp()
    .visibleCommands(program)
    .map((command) => command.name())
}

const withParts = (command: CommandUnknownOpts): CommandUnknownOpts[] => [
  command,
  ...command.commands.flatMap(withParts),
]

/** What `code index` and `mcp` took over from CocoSearch, whose letters are those of other commands. */
const OF_COCOSEARCH = new Set([
  '-n, --name <name>',
  '-i, --include <glob>',
  '-e, --exclude <glob>',
  '-t, --transport <name>',
])

describe('the program', () => {
  it('loads every command under its own name', async () => {
    const all = await namesIn()
    expect(all).toContain('completion')
    for (const name of all.filter((one) => !one.startsWith('__')))
      expect(await namesIn([name])).toContain(name)
  })

  it('lists at most 24 commands in its help, in groups, and the others with --all', async () => {
    const usual = await listedBy('--help')
    expect(usual.length).toBeLessThanOrEqual(24)
    expect(usual).toEqual(await listedBy('help'))
    const all = await listedBy('help', '--all')
    expect(all).toEqual(
      await namesIn().then((names) => names.filter((one) => !one.startsWith('__'))),
    )
    const text = (await createProgram(['--help'])).helpInformation()
    const groups = [...text.matchAll(/^([A-Z].*):$/gm)].map(([, group]) => group)
    expect(groups).toEqual([
      'Options',
      'Start',
      'Servers',
      'Rules',
      'People',
      'Knowledge and code',
      'Operate',
    ])
  })

  it('gives each short flag one meaning over all commands', async () => {
    const meanings = new Map<string, Set<string | undefined>>()
    const options = withParts(await createProgram()).flatMap((command) => [...command.options])
    for (const { short, long, flags } of options)
      if (short !== undefined && !OF_COCOSEARCH.has(flags))
        meanings.set(short, (meanings.get(short) ?? new Set()).add(long))
    expect([...meanings].filter(([, longs]) => longs.size > 1)).toEqual([])
    expect(meanings.size).toBeGreaterThan(8)
  })

  it('shows the help of a part of a command, and names what was meant', async () => {
    const program = await createProgram(['help'])
    const shown: string[] = []
    const server = program.commands.find((one) => one.name() === 'server')
    const add = server?.commands.find((one) => one.name() === 'add')
    add?.configureOutput({ writeOut: (text) => void shown.push(text) }).exitOverride()
    const help = program.parseAsync(['help', 'server', 'add'], { from: 'user' })
    await expect(help).rejects.toMatchObject({ code: 'commander.help' })
    expect(shown.join('')).toContain('Usage: portolan server add')
    await expect(program.parseAsync(['help', 'server', 'ad'], { from: 'user' })).rejects.toThrow(
      "There is no command 'ad'",
    )
  })

  it('loads only the command that comes first', async () => {
    expect(await namesIn(['code', 'search', 'serve'])).toEqual(['code'])
    expect(await namesIn([])).toEqual([])
  })

  it.each([['--help'], ['help'], ['__complete'], ['--debug']])(
    'loads all of them after %s',
    async (word) => expect(await namesIn([word])).toEqual(await namesIn()),
  )

  it.each(SURFACE_NAMES)('takes %s for a surface, as the settings do', async (name) => {
    const program = await createProgram([])
    program.parseOptions(['--surface', name])
    expect(program.opts()).toMatchObject({ surface: name })
  })

  it('hands options before a command on to it, and takes none that it does not have', async () => {
    expect(await flagsOfCheck('--mcp', 'a.json', 'check')).toEqual({ mcp: 'a.json' })
    expect(await flagsOfCheck('--mcp', 'a.json', 'check', '--mcp', 'b.json')).toEqual({
      mcp: 'b.json',
    })
    await expect(flagsOfCheck('--surface', 'direct', 'check')).rejects.toThrow(
      "'check' has no option --surface",
    )
  })

  it('says which command was meant', async () => {
    await expect(createProgram(['serv'])).rejects.toMatchObject({
      message: "There is no command 'serv'",
      details: { hint: "Did you mean 'serve' or 'server'?" },
    })
    await expect(createProgram(['toString'])).rejects.toThrow('no command')
    await expect(createProgram(['add'])).rejects.toMatchObject({
      details: { hint: 'Did you mean portolan server add?' },
    })
    await expect(createProgram(['search'])).rejects.toMatchObject({
      details: { hint: expect.stringContaining('portolan code search, or portolan ') },
    })
  })

  it('says that a command was meant by its name as an option, unless there is such an option', async () => {
    await expect(createProgram(['--init'])).rejects.toMatchObject({
      message: "There is no option '--init'",
      details: { hint: 'init is a command: portolan init' },
    })
    expect(await namesIn(['--config', 'x.yaml'])).toContain('config')
  })
})
