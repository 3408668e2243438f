import type { SymbolType } from '../code-symbol.ts'

/** A matching line defines `name`; if `type` is a table, the captured keyword selects the type. */
export interface DefinitionRule {
  readonly pattern: RegExp
  readonly type: SymbolType | Readonly<Record<string, SymbolType>>
}

export const KEYWORD_TYPES: Readonly<Record<string, SymbolType>> = {
  class: 'class',
  struct: 'class',
  enum: 'class',
  union: 'class',
  record: 'class',
  object: 'class',
  actor: 'class',
  mixin: 'class',
  contract: 'class',
  library: 'class',
  message: 'class',
  service: 'class',
  model: 'class',
  interface: 'interface',
  trait: 'interface',
  protocol: 'interface',
  type: 'interface',
  typealias: 'interface',
  extension: 'class',
  module: 'module',
  namespace: 'module',
  package: 'module',
  mod: 'module',
  def: 'function',
  defp: 'function',
  defmacro: 'function',
  defmodule: 'module',
  defprotocol: 'interface',
  defimpl: 'class',
  defstruct: 'class',
  func: 'function',
  fun: 'function',
  fn: 'function',
  function: 'function',
  data: 'class',
  newtype: 'class',
  instance: 'class',
}

/** `before` may precede the modifiers, once: a pattern that may match blanks must not be repeated. */
export const types = (words: string, modifiers: string, before = ''): DefinitionRule => ({
  pattern: new RegExp(
    `^\\s*${before}(?:(?:${modifiers || 'export'})\\s+)*(?<keyword>${words})\\s+(?<name>[A-Za-z_$][\\w$]*)`,
  ),
  type: KEYWORD_TYPES,
})

export const callable = (pattern: RegExp, type: SymbolType = 'function'): DefinitionRule => ({
  pattern,
  type,
})
