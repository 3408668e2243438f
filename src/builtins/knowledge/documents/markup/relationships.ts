import type { Element } from 'domhandler'
import { posix } from 'node:path'
import { findAll } from './markup.ts'
import { parsePart } from './parse-markup.ts'
import type { Archive } from './read-archive.ts'

/** The parts that a part of an Office document refers to. */
export interface Relationships {
  /** Returns the path of the part that an element names by the id of its relationship. */
  of(element: Element): string | undefined
  /** Returns the path of a part by the end of its type, such as `styles`. */
  ofType(type: string): string | undefined
}

/** Reads what a part refers to; the container itself, if no path is given. */
export async function relationshipsOf(archive: Archive, path = ''): Promise<Relationships> {
  const folder = posix.dirname(path)
  const root = await parsePart(archive, posix.join(folder, '_rels', `${posix.basename(path)}.rels`))
  const all = (root ? findAll(root, 'Relationship') : []).map(({ attribs }) => {
    const { Id: id, Type: type = '', Target: target = '' } = attribs
    return { id, type, path: target.startsWith('/') ? target.slice(1) : posix.join(folder, target) }
  })
  const byId = new Map(all.map((one) => [one.id, one.path]))
  return {
    of: (element) => byId.get(idIn(element)),
    ofType: (wanted) => all.find(({ type }) => type.endsWith(`/${wanted}`))?.path,
  }
}

/** Returns the path of the main part: named by the container, nearly always the usual one. */
export async function mainPartOf(archive: Archive, usual: string): Promise<string> {
  return (await relationshipsOf(archive)).ofType('officeDocument') ?? usual
}

/** The prefix of the attribute differs between files. */
function idIn({ attribs }: Element): string | undefined {
  return Object.entries(attribs).find(([key]) => key.endsWith(':id'))?.[1]
}
