import type { JsonObject } from '../../base/json/json.ts'

/** Settings that say whom this person believes and what is run, so that no file of a folder may set them. */
const PERSONAL = ['registries', 'secrets']

/** Removes personal settings from the file of a folder, even if that is trusted. */
export function withoutPersonal(
  content: JsonObject,
  { path, isOwn }: { readonly path: string; readonly isOwn: boolean },
): { readonly path: string; readonly content: JsonObject; readonly warnings: readonly string[] } {
  const found = isOwn ? [] : PERSONAL.filter((name) => Object.hasOwn(content, name))
  if (found.length === 0) return { path, content, warnings: [] }
  return {
    path,
    content: Object.fromEntries(Object.entries(content).filter(([name]) => !found.includes(name))),
    warnings: found.map(
      (name) =>
        `${path}: "${name}" is a setting of each person and has no effect here. Write it into portolan.yaml in the data folder.`,
    ),
  }
}
