import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { editJson } from '../../base/json/edit-json.ts'
import { trustOf } from '../trust/trust-of.ts'
import { recordTrust } from '../trust/record-trust.ts'
import { BY_HAND, followHandEdits } from './follow-hand-edits.ts'
import { changeFile, digestOf } from './change-file.ts'
import { describeVersion } from './describe-version.ts'
import { recordChanges } from './record-changes.ts'
import { rollback } from './rollback.ts'
import { VersionStore } from './version-store.ts'

const RULES = `{
  // who may do what
  "agents": {
    "ada": { "allow": { "servers": ["*"] } }, // everything
  },
}
`

/** A person with a data folder, who works in two folders. */
function aPerson() {
  const folder = tempFolder()
  const env = { HOME: folder.path, PORTOLAN_HOME: folder.file('data') }
  folder.write('one/.mcp-gateway-rules.json', RULES)
  folder.write('two/.mcp-gateway-rules.json', RULES)
  const place = { cwd: folder.file('one'), env }
  const file = folder.file('one/.mcp-gateway-rules.json')
  const deny = (agent: string, at = place, expected?: string) =>
    changeFile(at, {
      file: `${at.cwd}/.mcp-gateway-rules.json`,
      by: 'ada',
      reason: `deny ${agent}`,
      expected,
      edit: (text) => editJson(text, ['agents', agent], { deny: { servers: ['*'] } }),
    })
  const versions = async () => (await VersionStore.open(place)).all()
  const back = async (version: number, at = place) =>
    rollback(at, version, { by: 'ada', reason: `back to ${version}` })
  return { folder, place, other: { cwd: folder.file('two'), env }, file, deny, versions, back }
}

it('records who changed what and why, and restores every byte of an earlier version', async () => {
  const { folder, file, deny, versions, back } = aPerson()
  writeFileSync(file, Buffer.concat([Buffer.from(RULES), Buffer.from([0xff, 0x0a])]))
  const original = readFileSync(file)
  await expect(deny('bob')).resolves.toMatchObject({
    version: 2,
    diff: expect.arrayContaining(['+    "bob": {']),
  })
  expect(folder.read('one/.mcp-gateway-rules.json')).toContain('// who may do what')
  const changed = readFileSync(file)
  await back(1)
  expect(readFileSync(file)).toEqual(original)
  await back(2)
  expect(readFileSync(file)).toEqual(changed)
  expect((await versions()).map(({ version, by, reason }) => [version, by, reason])).toEqual([
    [2, 'ada', 'deny bob'],
    [3, 'ada', 'back to 1'],
    [4, 'ada', 'back to 2'],
  ])
})

it('makes no version of nothing, and refuses one that is not there', async () => {
  const { place, deny, versions, back } = aPerson()
  await deny('bob')
  await deny('bob')
  await recordChanges(place, { by: 'ada', reason: 'nothing' }, () => undefined)
  expect((await back(2)).version).toBeUndefined()
  expect(await versions()).toHaveLength(1)
  await expect(back(3)).rejects.toThrow('There is no version 3')
  await expect(back(0)).rejects.toThrow('There is no version 0')
})

it('removes a file that did not exist then, and brings back one that did', async () => {
  const { folder, place, back } = aPerson()
  const work = () => {
    folder.write('data/rules.json', '{}')
    rmSync(folder.file('one/.mcp-gateway-rules.json'))
  }
  await recordChanges(place, { by: 'ada', reason: 'move' }, work)
  await back(1)
  expect(existsSync(folder.file('data/rules.json'))).toBe(false)
  expect(folder.read('one/.mcp-gateway-rules.json')).toBe(RULES)
})

it('refuses a change that is based on another content, and overwrites nothing', async () => {
  const { folder, place, deny } = aPerson()
  const seen = digestOf(RULES)
  await deny('bob', place, seen)
  const now = folder.read('one/.mcp-gateway-rules.json')
  await expect(deny('eve', place, seen)).rejects.toThrow('was changed by somebody else')
  expect(folder.read('one/.mcp-gateway-rules.json')).toBe(now)
})

it('does not overwrite what an editor saves during the change', async () => {
  const { folder, place, file } = aPerson()
  const edit = (text: string) => {
    writeFileSync(file, '{}')
    return `${text}\n`
  }
  await expect(changeFile(place, { file, by: 'ada', reason: '', edit })).rejects.toThrow(
    'was changed by somebody else',
  )
  expect(folder.read('one/.mcp-gateway-rules.json')).toBe('{}')
})

it('makes a version of what was changed by hand before the next change, and rolls back to it', async () => {
  const { folder, file, deny, versions, back } = aPerson()
  await deny('bob')
  const edited = folder.read('one/.mcp-gateway-rules.json').replace('everything', 'all')
  writeFileSync(file, edited)
  await deny('eve')
  expect((await versions()).map(({ version, by }) => [version, by])).toEqual([
    [2, 'ada'],
    [3, BY_HAND],
    [4, 'ada'],
  ])
  await back(3)
  expect(folder.read('one/.mcp-gateway-rules.json')).toBe(edited)
})

it('notices the first change by hand of a file that no change of ours has touched', async () => {
  const { folder, place, file, back } = aPerson()
  await recordChanges(place, { by: 'ada', reason: 'add' }, () => {
    folder.write('data/mcp.json', '{}')
  })
  writeFileSync(file, '{}')
  await back(2)
  expect(folder.read('one/.mcp-gateway-rules.json')).toBe(RULES)
})

it('leaves the files of other folders alone, and what was decided about them', async () => {
  const { folder, place, other, file, deny, back } = aPerson()
  recordTrust(place, [{ path: file, text: RULES }], 'trusted')
  await deny('bob')
  const path = `${other.cwd}/.mcp-gateway-rules.json`
  await recordChanges(other, { by: 'ada', reason: 'trust' }, () =>
    recordTrust(other, [{ path, text: RULES }], 'trusted'),
  )
  await deny('bob', other)
  await back(1)
  expect(folder.read('one/.mcp-gateway-rules.json')).toBe(RULES)
  expect(trustOf(place)(file, RULES).verdict).toBe('trusted')
  const theirs = folder.read('two/.mcp-gateway-rules.json')
  expect(theirs).toContain('bob')
  expect(trustOf(place)(path, theirs).verdict).toBe('trusted')
})

it('takes back a decision to trust that came later', async () => {
  const { place, file, back } = aPerson()
  await recordChanges(place, { by: 'ada', reason: 'trust' }, () =>
    recordTrust(place, [{ path: file, text: RULES }], 'trusted'),
  )
  expect(trustOf(place)(file, RULES).verdict).toBe('trusted')
  await back(1)
  expect(trustOf(place)(file, RULES).verdict).toBe('unknown')
})

it('seals what it stores, and shows no secret', async () => {
  const { folder, place, versions } = aPerson()
  const servers = '{"mcpServers":{"a":{"command":"x","env":{"DB_PASSWORD":"correct horse"}}}}'
  await recordChanges(place, { by: 'ada', reason: 'add' }, () => {
    folder.write('data/secrets.env', 'TOKEN="battery staple"\n')
    folder.write('data/mcp.json', servers)
    folder.write('data/portolan.yaml', 'embedding:\n  api_key: tr0ub4dor\n')
  })
  const stored = readFileSync(folder.file('data/history/2.sealed'), 'utf8')
  expect(stored).toMatch(/^sealed2:/)
  const shown = JSON.stringify((await versions()).map(describeVersion))
  expect(shown).toContain('+TOKEN')
  expect(shown).toContain('DB_PASSWORD')
  expect(shown).not.toMatch(/battery|correct horse|tr0ub4dor/)
})

it('undoes a change that it cannot record', async () => {
  const { folder, place, deny } = aPerson()
  await deny('bob')
  const now = folder.read('one/.mcp-gateway-rules.json')
  const work = () => {
    folder.write('one/.mcp-gateway-rules.json', '{}')
    folder.write('data/mcp.json', '{}')
    rmSync(folder.file('data/history'), { recursive: true })
    writeFileSync(folder.file('data/history'), '')
  }
  await expect(recordChanges(place, { by: 'ada', reason: '' }, work)).rejects.toThrow(
    'The change cannot be recorded, so it was undone',
  )
  expect(folder.read('one/.mcp-gateway-rules.json')).toBe(now)
  expect(existsSync(folder.file('data/mcp.json'))).toBe(false)
})

it('goes on after the key was lost: what it cannot open is not in the way', async () => {
  const { folder, deny, versions } = aPerson()
  await deny('bob')
  rmSync(folder.file('data/vault-key'))
  await deny('eve')
  expect((await versions()).map(({ version }) => version)).toEqual([3])
})

it('records what is changed by hand while a gateway runs, and our own changes once', async () => {
  const { folder, place, file, deny, versions, back } = aPerson()
  const look = followHandEdits(place)
  await look()
  expect(existsSync(folder.file('data'))).toBe(false)
  writeFileSync(file, '{}')
  await look()
  await look()
  await deny('bob')
  await look()
  expect((await versions()).map(({ by }) => by)).toEqual([BY_HAND, 'ada'])
  await back(1)
  expect(folder.read('one/.mcp-gateway-rules.json')).toBe(RULES)
})
