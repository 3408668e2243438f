import { expect, it } from 'vitest'
import { type ScriptStore, createSavedScripts } from '../../src/builtins/scripts/saved-scripts.ts'
import type { SavedScript, ScriptDraft } from '../../src/protocol/saved-scripts.ts'

const draft = (name: string, source = '1'): ScriptDraft => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object' },
  source,
})

const shortly = (scripts: readonly SavedScript[]) =>
  scripts.map(({ name, state, source }) => [name, state, source])

/** Tests that every store of saved scripts must pass. */
export function testSavedScripts(where: string, open: () => Promise<ScriptStore>): void {
  const opened = async () => createSavedScripts(await open())

  it(`${where}: a proposal is no tool before it is approved, what a person saves is`, async () => {
    const scripts = await opened()
    const { digest } = await scripts.propose(draft('one'), 'ada')
    await scripts.save(draft('two'), 'eve')
    expect(shortly(await scripts.list())).toEqual([
      ['one', 'proposed', '1'],
      ['two', 'approved', '1'],
    ])
    const approved = await scripts.approve(digest, 'eve')
    expect(approved).toMatchObject({ state: 'approved', author: 'ada', approvedBy: 'eve', digest })
    expect(await scripts.list()).toEqual([approved, expect.objectContaining({ name: 'two' })])
  })

  it(`${where}: a proposal takes the place of a tool only once it is approved`, async () => {
    const scripts = await opened()
    await scripts.save(draft('one', 'first'), 'eve')
    const { digest } = await scripts.propose(draft('one', 'second'), 'ada')
    await scripts.propose(draft('one', 'second'), 'ada')
    const first = ['one', 'approved', 'first']
    expect(shortly(await scripts.list())).toEqual([['one', 'proposed', 'second'], first])
    await scripts.approve(digest, 'eve')
    expect(shortly(await scripts.list())).toEqual([['one', 'approved', 'second']])
    expect(await scripts.remove('one')).toBe(true)
    expect(await scripts.remove('one')).toBe(false)
    expect(await scripts.list()).toEqual([])
  })

  it(`${where}: who approves one content approves no other, under whatever name`, async () => {
    const store = await open()
    const scripts = createSavedScripts(store)
    const read = await scripts.propose(draft('one', 'read by a person'), 'ada')
    const evil = await scripts.propose(draft('one', 'evil'), 'mallory')
    const other = await scripts.propose(draft('other', 'read by a person'), 'mallory')
    expect(new Set([read.digest, evil.digest, other.digest]).size).toBe(3)
    await scripts.approve(read.digest, 'eve')
    const tools = (await scripts.list()).filter(({ state }) => state === 'approved')
    expect(shortly(tools)).toEqual([['one', 'approved', 'read by a person']])
    await scripts.reject(other.digest)
    await expect(scripts.approve(other.digest, 'eve')).rejects.toThrow('No proposal has the digest')
    // The text behind a digest is changed after a person has read it.
    const file = `proposed/${evil.digest}.ts`
    await store.write(file, `${(await store.read()).get(file)};worse()`)
    await expect(scripts.approve(evil.digest, 'eve')).rejects.toThrow('No proposal has the digest')
    expect(await scripts.problems()).toEqual([expect.stringContaining('its content was changed')])
  })

  it(`${where}: what could not be a tool is refused, and says what to do`, async () => {
    const scripts = await opened()
    const refused = async (change: Partial<ScriptDraft>) =>
      scripts.propose({ ...draft('one'), ...change }, 'ada').then(
        () => 'saved',
        (error: { message: string; hint: string }) => `${error.message}. ${error.hint}`,
      )
    expect(await refused({ name: 'Not-a-name' })).toContain('is not a name')
    expect(await refused({ name: '../keys' })).toContain('is not a name')
    expect(await refused({ description: ' ' })).toContain('needs a description')
    expect(await refused({ inputSchema: { type: 'string' } })).toContain('not that of an object')
    expect(await refused({ source: ' ' })).toContain('is empty')
    expect(await refused({ source: 'x'.repeat(65_537) })).toContain('too long')
    expect(await scripts.list()).toEqual([])
    await expect(scripts.reject('none')).rejects.toThrow('No proposal has the digest none')
    expect(await refused({})).toBe('saved')
  })

  it(`${where}: agents cannot flood those who decide, people can still save`, async () => {
    const scripts = await opened()
    const proposals: SavedScript[] = []
    for (let i = 0; i < 100; i += 1) proposals.push(await scripts.propose(draft(`s${i}`), 'ada'))
    await expect(scripts.propose(draft('more'), 'ada')).rejects.toThrow('100 proposals wait')
    await scripts.save(draft('more'), 'eve')
    await scripts.reject(proposals[1]?.digest ?? '')
    await scripts.propose(draft('again'), 'ada')
  })
}
