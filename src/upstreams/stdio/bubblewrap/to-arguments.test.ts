import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import type { Mount } from './sandbox.ts'
import { type Surroundings, toArguments } from './to-arguments.ts'

function argumentsOf(mounts: readonly Mount[], more: Partial<Surroundings> = {}): string {
  const cacheFolder = tempFolder().path
  const given = { mounts, home: '/home/ada', cwd: '/home/ada', cacheFolder }
  return toArguments({ ...given, network: 'shared', ...more }).join(' ')
}

it('has a home folder that is empty and read-only but for its cache', () => {
  const text = argumentsOf([])
  expect(text).toMatch(
    /--tmpfs \/home\/ada .*--bind \S+ \/home\/ada\/\.cache .*--remount-ro \/home\/ada /,
  )
  expect(text).toMatch(/--proc \/proc --remount-ro \/proc/)
})

it('has the network of this machine unless it is to have none', () => {
  expect(argumentsOf([])).not.toContain('--unshare-net')
  expect(argumentsOf([], { network: 'none' })).toContain('--unshare-net')
})

it('puts nothing into a cache that the server could have prepared', () => {
  const path = '/home/ada/.cache/browsers'
  const text = argumentsOf([{ path, source: path, how: 'read' }])
  expect(text).toContain('--tmpfs /home/ada/.cache ')
})

it('has an empty cache where its own cannot be made', () => {
  const cacheFolder = `${tempFolder().write('a', '')}/cache`
  expect(argumentsOf([], { cacheFolder })).toContain('--tmpfs /home/ada/.cache')
})

it('works in /tmp where it does not see the folder where it was to work', () => {
  expect(argumentsOf([], { cwd: '/srv/x' })).toContain('--chdir /tmp')
  expect(argumentsOf([{ path: '/srv', source: '/srv', how: 'read' }], { cwd: '/srv/x' })).toContain(
    '--chdir /srv/x',
  )
})
