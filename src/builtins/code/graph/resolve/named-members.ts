import type { ProjectFiles } from '../project-files.ts'

/**
 * Returns the files of a package that define a name the importing file mentions; all of them if it
 * mentions no known name.
 */
export type NamedMembers = (
  pack: string,
  members: readonly string[],
  from: string,
) => readonly string[]

/** For imports of packages and namespaces. Each package is scanned once for all its importers. */
export function createNamedMembers(files: ProjectFiles): NamedMembers {
  const known = new Map<string, ReadonlyMap<string, readonly string[]>>()
  return (pack, members, from) => {
    if (members.length < 2) return members
    const byImporter = known.get(pack) ?? membersByImporter(files, members)
    known.set(pack, byImporter)
    return byImporter.get(from) ?? members
  }
}

function membersByImporter(
  files: ProjectFiles,
  members: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const member of members)
    for (const name of files.offers(member))
      for (const importer of files.mentioning(name)) {
        const named = found.get(importer)
        if (!named) found.set(importer, [member])
        else if (named.at(-1) !== member) named.push(member)
      }
  return found
}
