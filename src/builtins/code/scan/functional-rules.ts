import { type DefinitionRule, KEYWORD_TYPES, callable } from './definition-rule.ts'

/** The definition rules of functional languages. */
export const FUNCTIONAL_RULES: Readonly<Record<string, readonly DefinitionRule[]>> = {
  elixir: [
    {
      pattern:
        /^\s*(?<keyword>defmodule|defprotocol|defimpl|defp?|defmacrop?|defguard|defdelegate)\s+(?<name>[\w.]+[?!]?)/,
      type: KEYWORD_TYPES,
    },
  ],
  haskell: [
    {
      pattern:
        /^(?<keyword>data|newtype|type|class|instance)\s+(?:family\s+|instance\s+)?(?:[^=]{0,200}=>\s*)?(?<name>[A-Z]\w*)/,
      type: KEYWORD_TYPES,
    },
    callable(/^(?<name>[a-z_][\w']*)\s*(?:,\s*[a-z_][\w']*\s*)*::/),
    callable(/^\((?<name>[^\w\s()]+)\)\s*::/),
    { pattern: /^(?<keyword>module)\s+(?<name>[\w.]+)/, type: KEYWORD_TYPES },
  ],
  erlang: [
    { pattern: /^-(?<keyword>module)\(\s*(?<name>\w+)/, type: KEYWORD_TYPES },
    { pattern: /^-(?<keyword>record|type|opaque)[\s(]+(?<name>\w+)/, type: KEYWORD_TYPES },
    { pattern: /^-define\(\s*(?<name>\w+)/, type: 'constant' },
    // Each clause begins with the name and continues with an arrow, a comma or a guard.
    callable(/^(?<name>[a-z]\w*)\s*\([^.]{0,300}(?:->|,|\bwhen\b).{0,200}$/),
    callable(/^-spec\s+(?<name>[a-z]\w*)/),
  ],
  elm: [
    {
      pattern: /^(?:port\s+)?(?<keyword>module|type)\s+(?:alias\s+)?(?<name>[\w.]+)/,
      type: KEYWORD_TYPES,
    },
    callable(/^(?<name>[a-z]\w*)\s*:/),
  ],
  ocaml: [
    {
      pattern:
        /^\s*(?<keyword>module|type|class)\s+(?:type\s+|rec\s+|nonrec\s+|virtual\s+)?(?:'\w+\s+|\([^)]{1,60}\)\s+)?(?<name>[A-Za-z_][\w']*)/,
      type: KEYWORD_TYPES,
    },
    callable(
      /^\s{0,4}(?:let|and|val|external|method!?)\s+(?:rec\s+|private\s+|virtual\s+)?(?<name>[A-Za-z_][\w']*)/,
    ),
    { pattern: /^\s*exception\s+(?<name>\w+)/, type: 'class' },
  ],
  fsharp: [
    {
      pattern:
        /^\s*(?<keyword>module|namespace|type)\s+(?:rec\s+|private\s+|internal\s+|public\s+)?(?<name>[A-Za-z_][\w.']*)/,
      type: KEYWORD_TYPES,
    },
    callable(
      /^\s*(?:static\s+)?(?:let|and|member|override|abstract|default)\s+(?:rec\s+|inline\s+|private\s+|internal\s+|mutable\s+)*(?:\w+\.)?(?<name>[A-Za-z_][\w']*)/,
    ),
  ],
  lisp: [
    callable(
      /^\s*\((?:cl-)?def(?:un|macro|var|parameter|constant|method|generic|struct|class|custom|group|advice|ine(?:-\w+)*|ine)?\*?\s+\(?(?<name>[^\s()'"]+)/,
    ),
  ],
  clojure: [
    { pattern: /^\(ns\s+(?:\^\S+\s+)?(?<name>[^\s()[\]{}]+)/, type: 'module' },
    {
      pattern:
        /^\s*\((?<keyword>defprotocol|defrecord|deftype|definterface|defmulti)\s+(?<name>[^\s()[\]{}]+)/,
      type: { defprotocol: 'interface', definterface: 'interface', defmulti: 'function' },
    },
    { pattern: /^\s*\((?:def|defonce)\s+(?:\^\S+\s+)?(?<name>[^\s()[\]{}]+)/, type: 'constant' },
    callable(/^\s*\((?:[\w.-]+\/)?def[\w-]*\s+(?:\^\S+\s+)?(?<name>[^\s()[\]{}]+)/),
  ],
}
