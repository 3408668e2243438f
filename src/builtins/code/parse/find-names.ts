import type { Node, Tree } from 'web-tree-sitter'
import type { Grammars } from './grammars.ts'

/** How a name is used where it stands. */
export type Usage = 'call' | 'import' | 'use'

export interface FoundName {
  readonly name: string
  /** 1-based. */
  readonly line: number
  readonly usage: Usage
}

/** Every place where the syntax has one of these names as an identifier: not inside comments or strings. Undefined where it cannot be parsed. */
export async function findNames(
  grammars: Grammars,
  grammar: string,
  text: string,
  names: readonly string[],
): Promise<FoundName[] | undefined> {
  return withTree(grammars, grammar, text, (tree) =>
    names.flatMap((name) => placesOf(tree, text, name)),
  )
}

function placesOf(tree: Tree, text: string, name: string): FoundName[] {
  const found: FoundName[] = []
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    const node = tree.rootNode.descendantForIndex(at, at + name.length)
    if (!node || !isIdentifier(node, name)) continue
    found.push({ name, line: node.startPosition.row + 1, usage: usageOf(node) })
  }
  return found
}

/** Every call in a text, by the last part of what is called. Undefined where it cannot be parsed. */
export async function findCalls(
  grammars: Grammars,
  grammar: string,
  text: string,
): Promise<FoundName[] | undefined> {
  return withTree(grammars, grammar, text, (tree) =>
    tree.rootNode
      .descendantsOfType([...CALLS])
      .flatMap((node) => (node ? (calleeOf(node) ?? []) : []))
      .map((callee) => ({
        name: callee.text,
        line: callee.startPosition.row + 1,
        usage: 'call' as const,
      })),
  )
}

async function withTree<T>(
  grammars: Grammars,
  grammar: string,
  text: string,
  read: (tree: Tree) => T,
): Promise<T | undefined> {
  const language = await grammars.load(grammar)
  const tree = language && (await grammars.parse(language, text))
  if (!tree) return undefined
  try {
    return read(tree)
  } finally {
    tree.delete()
  }
}

/** What grammars call the leaves that are text to a reader and nothing to the program. */
const TEXT = /comment|string|char|heredoc|raw|content|fragment|text|regex|quoted/
const NOT_TEXT = /interpolat|substitution|template_(?:type|function|method)|expansion/

function isIdentifier(node: Node, name: string): boolean {
  if (node.text !== name || node.namedChildCount > 0) return false
  for (let at: Node | null = node; at; at = at.parent) {
    if (NOT_TEXT.test(at.type)) return true
    if (TEXT.test(at.type)) return false
    if (/(?:statement|declaration|definition|block|body)$/.test(at.type)) return true
  }
  return true
}

const CALLS: ReadonlySet<string> = new Set(
  'call_expression call new_expression method_invocation object_creation_expression invocation_expression function_call_expression member_call_expression nullsafe_member_call_expression scoped_call_expression macro_invocation command constructor_invocation instance_expression'.split(
    ' ',
  ),
)
/** Where a call keeps what it calls, and where that keeps its last part. */
const CALLEE_FIELDS = ['function', 'method', 'constructor', 'macro', 'type', 'name']
const LAST_PART_FIELDS = ['property', 'field', 'attribute', 'name', 'function', 'method']
const IMPORTS = /import|(?:^|_)use_|using_|^export_(?:statement|clause|specifier)|include|require/
const MOST_STEPS = 12

function usageOf(node: Node): Usage {
  let at: Node | null = node
  for (let step = 0; at && step < MOST_STEPS; step++, at = at.parent) {
    if (CALLS.has(at.type) && calleeOf(at)?.startIndex === node.startIndex) return 'call'
    if (IMPORTS.test(at.type) && isImport(at)) return 'import'
  }
  return 'use'
}

/** `export` imports only when it says from where. */
function isImport(node: Node): boolean {
  if (!node.type.startsWith('export_')) return true
  const statement = node.type === 'export_statement' ? node : node.parent
  return statement?.childForFieldName('source') != null
}

function calleeOf(call: Node): Node | undefined {
  let at = firstOf(call, CALLEE_FIELDS) ?? call.namedChild(0)
  for (let step = 0; at && at.namedChildCount > 0 && step < MOST_STEPS; step++) {
    const isGeneric = /generic|template/.test(at.type)
    at = firstOf(at, LAST_PART_FIELDS) ?? at.namedChild(isGeneric ? 0 : at.namedChildCount - 1)
  }
  return at && /^[\p{L}_$@][\p{L}\p{N}_$?!-]*$/u.test(at.text) ? at : undefined
}

function firstOf(node: Node, fields: readonly string[]): Node | null {
  for (const field of fields) {
    const child = node.childForFieldName(field)
    if (child) return child
  }
  return null
}
