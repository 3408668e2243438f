import type { Workspace } from '../paths.ts'
import { namedFilesIn } from './named-files.ts'
import { ownChange } from './own-folders.ts'
import {
  type Trust,
  type TrustList,
  entryOf,
  lastTrusted,
  readTrust,
  verdictOn,
} from './trust-list.ts'

/** Decides by the list in the data folder, which is read when first needed. */
export function trustOf(place: Workspace): Trust {
  let list: TrustList | undefined
  return (path, text) => {
    list ??= readTrust(place)
    const { files } = list
    const verdict = verdictOn(path, text, files)
    if (verdict === 'trusted') return { verdict, names: entryOf(path, text, files)?.names ?? {} }
    const trusted = lastTrusted(path, files)
    const change = verdict === 'declined' ? undefined : ownChange(path, list)
    if (change !== 'saved') return { verdict, trusted, change }
    return {
      verdict: 'trusted',
      names: { ...namedFilesIn(path, text, place), ...trusted?.names },
      change,
    }
  }
}

/** Returns the working folder, with what the list says about the API packs in it. */
export function packFolderOf(place: Workspace) {
  const trust = trustOf(place)
  const trusts = (path: string, text: string) => trust(path, text).verdict === 'trusted'
  return { path: place.cwd, trusts }
}
