import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readTrust, verdictOn } from '../../config/trust/trust-list.ts'
import type { Machine } from '../clients/machine.ts'
import { recordTrust } from '../../config/trust/record-trust.ts'
import { journalOf } from './connect-client.ts'

function aProject(text: string) {
  const folder = tempFolder()
  const file = folder.write('project/.mcp.json', text)
  const machine: Machine = {
    platform: 'linux',
    home: folder.path,
    cwd: folder.file('project'),
    env: { HOME: folder.path, PORTOLAN_HOME: folder.file('data') },
  }
  const verdict = () => verdictOn(file, folder.read('project/.mcp.json'), readTrust(machine).files)
  const trust = () => recordTrust(machine, [{ path: file, text }], 'trusted')
  return { machine, file, folder, verdict, trust }
}

const BEFORE = '{ "mcpServers": { "one": { "command": "one" } } }\n'
const edits = [{ path: ['mcpServers', 'portolan'], value: { command: 'portolan' } }]

it('renews the trust in a file of the project with every change that is our own', async () => {
  const { machine, file, folder, verdict, trust } = aProject(BEFORE)
  trust()
  const journal = journalOf(machine)
  journal.edit({ file, format: 'json' }, edits)
  expect(verdict()).toBe('trusted')
  // Somebody else changed it, and a person trusted that: now only our part is taken out.
  const changed = folder.read('project/.mcp.json').replace('"command": "one"', '"command": "two"')
  folder.write('project/.mcp.json', changed)
  expect(verdict()).toBe('changed')
  recordTrust(machine, [{ path: file, text: changed }], 'trusted')
  expect(await journal.undo(file)).toBe('edited')
  expect(folder.read('project/.mcp.json')).not.toContain('portolan')
  expect(verdict()).toBe('trusted')
})

it('trusts no file that nobody has trusted', () => {
  const { machine, file, verdict } = aProject(BEFORE)
  journalOf(machine).edit({ file, format: 'json' }, edits)
  expect(verdict()).toBe('unknown')
})
