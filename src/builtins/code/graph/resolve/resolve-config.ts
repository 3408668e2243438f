import { decodeUri } from '../../../../base/text/decode-uri.ts'
import type { ImportRef, Resolve } from '../import-ref.ts'
import { type ProjectFiles, folderOf, joinPath } from '../project-files.ts'

const PATH_KINDS = new Set(
  'module_source include include_local extends template source_path source_repo variable_file chart_member subchart subchart_of doc_link doc_inline_code doc_frontmatter doc_code_block'.split(
    ' ',
  ),
)
const HELM_TEMPLATE = /(?:^|\/)templates\/.*\.(?:ya?ml|tpl)$/
/** A reference to a folder means its files, but at most this many. */
const MAX_OF_FOLDER = 50

/** Resolves paths in configuration and documents, from the file's folder or the project root. */
export function createConfigResolver(files: ProjectFiles): Resolve {
  const helpers = new Map<string, string>()
  for (const path of files.paths) {
    if (!HELM_TEMPLATE.test(path)) continue
    for (const [, name = ''] of (files.read(path) ?? '').matchAll(/\{\{-?\s*define\s+"([^"]+)"/g)) {
      helpers.set(name, path)
    }
  }
  return (from, reference) => {
    if (!PATH_KINDS.has(reference.kind)) return []
    const helper = reference.kind === 'template' ? helpers.get(reference.specifier) : undefined
    if (helper !== undefined) return [helper]
    for (const base of basesOf(from, reference)) {
      const path = joinPath(base, placeOf(reference))
      if (path === undefined) continue
      if (files.has(path)) return [path]
      const inside = files.inFolder(path)
      if (inside.length > 0 && path !== '') return inside.slice(0, MAX_OF_FOLDER)
    }
    return []
  }
}

function basesOf(from: string, { specifier }: ImportRef): string[] {
  if (specifier.startsWith('/')) return ['']
  // `uses: ./.github/actions/x` is relative to the root of the repository.
  return from.startsWith('.github/') ? ['', folderOf(from)] : [folderOf(from), '']
}

/** A chart keeps its subcharts in the folder `charts`, or names others by a `file://` address. */
function placeOf({ specifier, kind }: ImportRef): string {
  if (kind === 'subchart') return `charts/${specifier}/Chart.yaml`
  return decodeUri(specifier.replace(/^file:\/\//, ''))
}
