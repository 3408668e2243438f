import { expect, it } from 'vitest'
import { createSavedScripts } from '../../src/builtins/scripts/create-saved-scripts.ts'
import type { ScriptDraft, ScriptVersion } from '../../src/protocol/saved-scripts.ts'
import type { Storage } from '../../src/storage/storage.ts'

const draft = (name: string, source = '1'): ScriptDraft => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object' },
  source,
})

const shortly = (versions: readonly ScriptVersion[]) =>
  versions.map(({ name, version, state, isActive }) => [name, version, state, isActive])

/** Tests that every engine with saved scripts must pass. */
export function testSavedScripts(engine: string, open: () => Promise<Storage>): void {
  const opened = async () => createSavedScripts(await open())

  it(`${engine}: a proposal is not active before it is approved, a saved one is`, async () => {
    const scripts = await opened()
    const { digest } = await scripts.propose(draft('one'), 'ada')
    await scripts.save(draft('two'), 'eve')
    expect(shortly(await scripts.active())).toEqual([['two', 1, 'approved', true]])
    const approved = await scripts.approve({ name: 'one', digest }, 'eve')
    expect(approved).toMatchObject({ author: 'ada', decidedBy: 'eve', isActive: true })
    expect(shortly(await scripts.active())).toEqual([
      ['one', 1, 'approved', true],
      ['two', 1, 'approved', true],
    ])
  })

  it(`${engine}: every version is kept, calls run one of them, and there is a way back`, async () => {
    const scripts = await opened()
    const first = await scripts.save(draft('one', 'first'), 'eve')
    await scripts.propose(draft('one', 'second'), 'ada')
    await scripts.save(draft('one', 'third'), 'eve')
    expect(shortly(await scripts.history('one'))).toEqual([
      ['one', 3, 'approved', true],
      ['one', 2, 'proposed', false],
      ['one', 1, 'approved', false],
    ])
    await scripts.approve(first, 'eve')
    expect((await scripts.active()).map(({ source }) => source)).toEqual(['first'])
    expect(shortly(await scripts.list())).toEqual([
      ['one', 3, 'approved', false],
      ['one', 1, 'approved', true],
    ])
    await scripts.reject({ name: 'one', version: 2 }, 'eve')
    expect((await scripts.active()).map(({ version }) => version)).toEqual([1])
    await scripts.reject({ name: 'one', version: 1 }, 'eve')
    expect(await scripts.active()).toEqual([])
    expect(await scripts.remove('one')).toBe(true)
    expect(await scripts.remove('one')).toBe(false)
    expect(await scripts.history('one')).toEqual([])
  })

  it(`${engine}: who approves one content approves no other, whatever was proposed in between`, async () => {
    const scripts = await opened()
    const read = await scripts.propose(draft('one', 'read by a person'), 'ada')
    await scripts.propose(draft('one', 'evil'), 'mallory')
    expect(await scripts.approve({ name: 'one', digest: read.digest }, 'eve')).toMatchObject({
      version: 1,
      source: 'read by a person',
    })
    await scripts.remove('one')
    await scripts.propose(draft('one', 'evil'), 'mallory')
    await expect(scripts.approve({ name: 'one', digest: read.digest }, 'eve')).rejects.toThrow(
      `No version of the script 'one' has the digest ${read.digest}`,
    )
    expect(await scripts.active()).toEqual([])
  })

  it(`${engine}: of two decisions at once the last counts, and no rejected version is active`, async () => {
    const scripts = await opened()
    const names = Array.from({ length: 20 }, (_, at) => `script_${at}`)
    const proposals = await Promise.all(
      names.map(async (name) => scripts.propose(draft(name), 'ada')),
    )
    await Promise.all(
      proposals.flatMap((each) => [scripts.approve(each, 'eve'), scripts.reject(each, 'bob')]),
    )
    const wrong = (await scripts.list()).filter(
      ({ state, isActive }) => isActive !== (state === 'approved'),
    )
    expect(shortly(wrong)).toEqual([])
  })

  it(`${engine}: a script that is removed while it is saved leaves no versions behind`, async () => {
    const storage = await open()
    const scripts = createSavedScripts(storage)
    for (let round = 0; round < 20; round++) {
      await scripts.save(draft('one'), 'eve')
      await Promise.all([scripts.save(draft('one'), 'eve'), scripts.remove('one')])
      const left = await storage.db
        .selectFrom('saved_script_versions')
        .select('version')
        .where('name', 'not in', (eb) => eb.selectFrom('saved_scripts').select('name'))
        .execute()
      expect(left).toEqual([])
    }
  })

  it(`${engine}: many who save one script at once get a version each`, async () => {
    const scripts = await opened()
    const saved = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => scripts.save(draft('one', `${i}`), 'eve')),
    )
    expect(saved.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6,
    ])
    const [active, ...others] = await scripts.active()
    expect(active?.version).toBe(6)
    expect(others).toEqual([])
  })

  it(`${engine}: what could not be a tool is refused, and says what to do`, async () => {
    const scripts = await opened()
    const refused = async (change: Partial<ScriptDraft>) =>
      scripts.propose({ ...draft('one'), ...change }, 'ada').then(
        () => 'saved',
        (error: { message: string; hint: string }) => `${error.message}. ${error.hint}`,
      )
    expect(await refused({ name: 'Not-a-name' })).toContain('is not a name')
    expect(await refused({ description: ' ' })).toContain('needs a description')
    expect(await refused({ inputSchema: { type: 'string' } })).toContain('not that of an object')
    expect(await refused({ source: ' ' })).toContain('is empty')
    expect(await refused({ source: 'x'.repeat(65_537) })).toContain('too long')
    expect(await scripts.list()).toEqual([])
    await expect(scripts.approve({ name: 'none', digest: '' }, 'eve')).rejects.toThrow(
      "no script 'none'",
    )
    expect(await refused({})).toBe('saved')
    await expect(scripts.reject({ name: 'one', version: 9 }, 'eve')).rejects.toThrow('version 9')
  })

  it(`${engine}: agents cannot flood those who decide, people can still save`, async () => {
    const scripts = await opened()
    for (let i = 0; i < 100; i += 1) await scripts.propose(draft(`s${i}`), 'ada')
    await expect(scripts.propose(draft('more'), 'ada')).rejects.toThrow('100 proposals wait')
    await scripts.save(draft('more'), 'eve')
    await scripts.reject({ name: 's1' }, 'eve')
    await scripts.propose(draft('again'), 'ada')
  })
}
