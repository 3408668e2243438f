import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { runGit } from '../../../base/git/run-git.ts'
import { DocumentError } from '../documents/document-error.ts'
import { type FetchOptions, fetchUrl } from './fetch-url.ts'
import { resolveGuarded } from './guard-address.ts'
import { listFiles } from './list-files.ts'
import { type FoundDocuments, type Selection, fileItem, selectFiles } from './walk-folder.ts'

const CLONE_TIMEOUT_MS = 120_000
const FIRST_REQUEST = '/info/refs?service=git-upload-pack'

export interface ClonedRepository extends FoundDocuments {
  readonly remove: () => Promise<void>
}

export function isRepository(target: string): boolean {
  return /^git\+https?:\/\//.test(target) || /^https?:\/\/[^?#]+\.git$/.test(target)
}

/** Clones a repository without history, over http(s) and only from hosts allowed for pages. */
export async function cloneRepository(
  target: string,
  selection: Selection,
  options: FetchOptions,
): Promise<ClonedRepository> {
  const url = target.replace(/^git\+/, '')
  // The first request of the protocol uses the guarded client, which also follows redirects.
  const { status, url: asked } = await fetchUrl(`${url}${FIRST_REQUEST}`, options)
  if (status !== 200) {
    throw new DocumentError('unreachable', `${url} answered ${status} to git`, 'Check the address.')
  }
  const folder = await mkdtemp(join(tmpdir(), 'portolan-clone-'))
  const remove = async () => rm(folder, { recursive: true, force: true })
  try {
    const address = asked.replace(FIRST_REQUEST, '')
    const pinned = ['-c', 'http.followRedirects=false', '-c', await pin(new URL(address), options)]
    const clone = ['clone', '--quiet', '--depth', '1', '--no-tags', '--', address, folder]
    await runGit([...pinned, ...clone], {
      folder,
      timeoutMs: CLONE_TIMEOUT_MS,
      env: { GIT_ALLOW_PROTOCOL: 'http:https' },
    })
    const { files } = await listFiles(folder)
    const found = await selectFiles(folder, files, selection)
    const locationOf = (file: string) => `${url}#${relative(folder, file)}`
    return {
      items: found.files.map((file) => fileItem(file, locationOf(file))),
      skipped: found.skipped.map(({ location, reason }) => ({
        location: locationOf(location),
        reason,
      })),
      remove,
    }
  } catch (cause) {
    await remove()
    throw new DocumentError('unreachable', `git could not clone ${url}`, 'Check the address.', {
      cause,
    })
  }
}

/** Makes git use the addresses that were checked, because it resolves host names itself. */
async function pin(url: URL, options: FetchOptions): Promise<string> {
  const addresses = await resolveGuarded(url, options)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return `http.curloptResolve=${url.hostname}:${port}:${addresses.join(',')}`
}
