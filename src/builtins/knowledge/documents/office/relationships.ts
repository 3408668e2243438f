import type { Element } from 'domhandler'
import { posix } from 'node:path'
import { findAll } from '../markup.ts'
import { parsePart } from '../parse-markup.ts'
import type { Archive } from '../read-archive.ts'

/** A reference from one part of an Office file to another. */
export interface Relationship {
  readonly id: string
  /** The last part of its type, such as `notesSlide`. */
  readonly type: string
  /** The path of the part in the archive. */
  readonly target: string
}

/** Returns the references of a part; those of the file itself for the path ''. */
export async function relationshipsOf(archive: Archive, path: string): Promise<Relationship[]> {
  const folder = posix.dirname(path)
  const found = await parsePart(
    archive,
    posix.join(folder, '_rels', `${posix.basename(path)}.rels`),
  )
  return (found ? findAll(found, 'Relationship') : []).map(({ attribs }) => {
    const { Id: id = '', Type: type = '', Target: target = '' } = attribs
    return {
      id,
      type: type.slice(type.lastIndexOf('/') + 1),
      target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
    }
  })
}

/** Returns the path of the main part: named by the file itself, nearly always the usual one. */
export async function mainPartOf(archive: Archive, usual: string): Promise<string> {
  const main = (await relationshipsOf(archive, '')).find(({ type }) => type === 'officeDocument')
  return main?.target ?? usual
}

/** Returns the id of the relationship that an element names; prefixes differ between files. */
export function relationshipId({ attribs }: Element): string {
  return Object.entries(attribs).find(([key]) => key.endsWith(':id'))?.[1] ?? ''
}
