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

describe('the program', () => {
  it('loads every command under its own name', async () => {
    const all = await namesIn()
    expect(all).toContain('completion')
    for (const name of all.filter((one) => !one.startsWith('__')))
      expect(await namesIn([name])).toContain(name)
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
