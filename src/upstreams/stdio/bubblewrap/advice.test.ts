import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { adviceFor } from './advice.ts'
import type { SandboxEntry } from './sandbox.ts'

const folder = tempFolder(() => undefined)
folder.write('seen/a', '')
folder.write('unseen/b', '')
folder.write('data/keys', '')
const at = (path: string) => `${folder.path}/${path}`

function advice(line: string, network: SandboxEntry['network'] = 'any') {
  return adviceFor(line, {
    sandbox: { read: [], write: [], network, env: [] },
    mounts: [{ path: at('seen'), source: at('seen'), how: 'read' }],
    ownFolders: [at('data')],
  })
}

it.each([
  `Error: EROFS: read-only file system, open '${at('seen/a')}'`,
  `OSError: [Errno 30] Read-only file system: '${at('seen/a')}'`,
  `Error: ENOENT: no such file or directory, mkdir '${at('seen/a')}'`,
  `touch: cannot touch '${at('seen/a')}': Read-only file system`,
])('%s: its entry may name the path to write', (line) => {
  expect(advice(line)).toContain(`"sandbox": {"write":["${at('seen/a')}"]}`)
})

it('names the folder of a file that does not exist yet', () => {
  const line = `EROFS: read-only file system, open '${at('seen/new.json')}'`
  expect(advice(line)).toContain(`{"write":["${at('seen')}"]}`)
})

it.each([
  `Error: ENOENT: no such file or directory, open '${at('unseen/b')}'`,
  `cat: ${at('unseen/b')}: No such file or directory`,
  `Error accessing directory ${at('unseen/b')}: does not exist`,
])('%s: its entry may name the path to read', (line) => {
  expect(advice(line)).toContain(`"sandbox": {"read":["${at('unseen/b')}"]}`)
})

it('is not the reason for what is nowhere, what it sees, or what it must not see', () => {
  expect(advice(`ENOENT: no such file, open '${at('nowhere')}'`)).toBeUndefined()
  expect(advice(`EACCES: permission denied, open '${at('seen/a')}'`)).toBeUndefined()
  expect(advice(`ENOENT: no such file, open '${at('data/keys')}'`)).toBeUndefined()
  expect(advice('getaddrinfo ENOTFOUND api.example.com')).toBeUndefined()
  expect(advice('ready')).toBeUndefined()
})

it('names the host that it did not reach', () => {
  expect(advice('TypeError: getaddrinfo EAI_AGAIN api.example.com', 'none')).toContain(
    '"sandbox": {"network":["api.example.com"]}',
  )
  expect(advice('OSError: [Errno 101] Network is unreachable', 'none')).toContain(
    '"sandbox": {"network":"any"}',
  )
  expect(advice('portolan-sandbox: refused host evil.example', ['good.example'])).toContain(
    '"sandbox": {"network":["good.example","evil.example"]}',
  )
})
