import type { Node, Tree } from 'web-tree-sitter'
import type { Grammars } from './grammars.ts'

/** How a name is used at one place. */
export type Usage = 'call' | 'import' | 'use'

export interface FoundName {
  readonly name: string
  /** 1-based. */
  readonly line: number
  readonly usage: Usage
}

/**
 * Finds every place where one of these names is an identifier: not inside comments or strings.
 * Undefined if the text cannot be parsed.
 */
export async function findNames(
  grammars: Grammars,
  grammar: string,
  text: string,
  names: readonly string[],
): Promise<FoundName[] | undefined> {
  return withTree(grammars, grammar, text, (tree) =>
    names.filter((name) => name !== '').flatMap((name) => placesOf(tree, text, name)),
  )
}

function placesOf(tree: Tree, text: string, name: string): FoundName[] {
  const found: FoundName[] = []
  let macro: Macro | undefined
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    const node = tree.rootNode.descendantForIndex(at, at + name.length)
    if (node?.type === MACRO_BODY) {
      if (macro?.startIndex !== node.startIndex) macro = readMacro(node)
      const usage = usageInMacro(macro, at - node.startIndex, name)
      if (usage) found.push({ name, line: macro.line, usage })
      continue
    }
    if (!node || !isIdentifier(node, name)) continue
    found.push({ name, line: node.startPosition.row + 1, usage: usageOf(node) })
  }
  return found
}

/** The body of a macro, which the C grammars parse as a single leaf. */
const MACRO_BODY = 'preproc_arg'

interface Macro {
  readonly startIndex: number
  /** The body, with comments and strings replaced by blanks of the same length. */
  readonly code: string
  /** The line of the last place examined; `counted` is its offset in the code. */
  line: number
  counted: number
}

function readMacro({ startIndex, startPosition, text }: Node): Macro {
  const code = text.replaceAll(
    /\/\*[^]*?\*\/|\/\/.*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g,
    (words) => words.replaceAll(/[^\n]/g, ' '),
  )
  return { startIndex, code, line: startPosition.row + 1, counted: 0 }
}

/** Must be called in the order of the text. */
function usageInMacro(macro: Macro, at: number, name: string): Usage | undefined {
  const { code } = macro
  for (; macro.counted < at; macro.counted++) if (code[macro.counted] === '\n') macro.line++
  const end = at + name.length
  if (!code.startsWith(name, at) || /\w/.test(code.charAt(at - 1) + code.charAt(end)))
    return undefined
  return /^\s*\(/.test(code.slice(end, end + 10)) ? 'call' : 'use'
}

/** Finds every call in a text, by the last part of the callee. Undefined if it cannot be parsed. */
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

/** Node types of text that is not code, in the various grammars. */
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
/** The fields of a call that hold its callee, and those of a callee that hold its last part. */
const CALLEE_FIELDS = ['function', 'method', 'constructor', 'macro', 'type', 'name']
const LAST_PART_FIELDS = ['property', 'field', 'attribute', 'name', 'function', 'method']
const IMPORTS = /import|(?:^|_)use_|using_|^export_(?:statement|clause|specifier)|include|require/
const MAX_STEPS = 12

function usageOf(node: Node): Usage {
  let at: Node | null = node
  for (let step = 0; at && step < MAX_STEPS; step++, at = at.parent) {
    if (CALLS.has(at.type) && calleeOf(at)?.startIndex === node.startIndex) return 'call'
    if (IMPORTS.test(at.type) && isImport(at)) return 'import'
  }
  return 'use'
}

/** An `export` is an import only if it names a source. */
function isImport(node: Node): boolean {
  if (!node.type.startsWith('export_')) return true
  const statement = node.type === 'export_statement' ? node : node.parent
  return statement?.childForFieldName('source') != null
}

function calleeOf(call: Node): Node | undefined {
  let at = firstOf(call, CALLEE_FIELDS) ?? call.namedChild(0)
  for (let step = 0; at && at.namedChildCount > 0 && step < MAX_STEPS; step++) {
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
