import { statSync } from 'node:fs'
import { readFoundFile } from '../../base/files/read-found-file.ts'
import { messageOf } from '../../base/errors.ts'
import { hashOf } from '../trust/named-files.ts'

export interface Description {
  /** The hash of its text; undefined for a file that cannot be read, which its server reports. */
  readonly revision?: string
  /** Why it can be no description, such as half of a file that is being saved. */
  readonly mistake?: string
}

const known = new Map<string, { readonly state: string; readonly description: Description }>()

/** Looks at the API description in a file, which is read again only if it has changed. */
export function readDescription(path: string): Description {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true })
    const state = `${ino}:${size}:${mtimeNs}`
    const before = known.get(path)
    if (before?.state === state) return before.description
    const text = readFoundFile(path)
    const description = text === undefined ? {} : describe(path, text)
    known.set(path, { state, description })
    return description
  } catch {
    return {}
  }
}

/** Only what takes no time: the whole of it is checked where it is imported. */
function describe(path: string, text: string): Description {
  const revision = hashOf(text)
  if (text.trim() === '') return { revision, mistake: `${path} is empty` }
  if (!path.endsWith('.json')) return { revision }
  try {
    JSON.parse(text)
    return { revision }
  } catch (error) {
    return { revision, mistake: `${path} is broken: ${messageOf(error)}` }
  }
}
