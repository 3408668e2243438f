import type { SymbolType } from '../code-symbol.ts'
import { type DefinitionRule, KEYWORD_TYPES, callable, types } from './definition-rule.ts'
import { FUNCTIONAL_RULES } from './functional-rules.ts'

const JVM =
  'public|private|protected|internal|static|final|abstract|sealed|open|data|inner|inline|value|annotation|expect|actual|implicit|lazy|case|override|suspend|operator|infix|tailrec|external|default|strictfp|partial|readonly|unsafe|async|virtual|extern|new|synchronized|native|fileprivate|@\\w+(?:\\([^)]*\\))?'

const ECMA = [
  types('class|interface|enum|namespace|module|type', 'export|default|declare|abstract|const'),
  callable(
    /^\s*(?:(?:export|default|declare|async)\s+)*function\s*\*?\s*(?<name>[A-Za-z_$][\w$]*)/,
  ),
  callable(
    /^\s*(?:export\s+)?(?:const|let|var)\s+(?<name>[A-Za-z_$][\w$]*)\s*(?::[^=]{0,120})?=\s*(?:async\s*)?(?:function\b|\([^()]{0,200}\)\s*(?::[^=]{0,80})?=>|[\w$]+\s*=>|\($)/,
  ),
  {
    pattern: /^(?:export\s+)(?:declare\s+)?(?:const|let|var)\s+(?<name>[A-Za-z_$][\w$]*)/,
    type: 'constant',
  },
  { pattern: /^const\s+(?<name>[A-Z][A-Z0-9_]+)\b/, type: 'constant' },
  callable(
    /^\s+(?:(?:public|private|protected|static|async|override|abstract|readonly|get|set)\s+)*\*?(?<name>[A-Za-z_$#][\w$]*)\s*(?:<[^()]{0,80}>)?\([^;]{0,300}(?:\{|[,(])\s*$/,
    'method',
  ),
  callable(/^(?:module\.)?exports\.(?<name>[A-Za-z_$][\w$]*)\s*=/),
  callable(
    /^[A-Za-z_$][\w$.]{0,60}\.(?<name>[A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?function\b/,
    'method',
  ),
] satisfies DefinitionRule[]

const C_LIKE = [
  types(
    'class|struct|enum(?:\\s+class|\\s+struct)?|union|namespace|concept',
    `${JVM}|typedef`,
    '(?:template\\s*<[^;{]{0,120}>\\s+)?',
  ),
  callable(/^\s*#\s*define\s+(?<name>\w+)/, 'constant'),
  callable(/^(?:typedef\b|using\s+(?<using>\w+)\s*=).{0,200}?(?<name>\w+)\s*(?:;|=)/, 'interface'),
  callable(
    /^(?!\s*(?:return|else|if|for|while|switch|case|goto|throw|delete|new|using|typedef|co_return)\b)\s*(?:(?:[\w:<>,*&~[\]]+\s+[*&]*){1,5}|(?=~?\w+::))(?:[\w:]+::)?(?<name>~?\w+|operator\S{1,3})\s*\([^;]{0,300}(?:[){,:]|const|noexcept|override)\s*$/,
  ),
] satisfies DefinitionRule[]

const JAVA_LIKE = [
  types('class|interface|enum|record|struct|namespace|package|@interface', JVM),
  callable(
    /^(?!\s*(?:return|else|if|for|while|switch|case|throw|new|catch|using|foreach|lock|yield|await)\b)\s+(?:@\w+(?:\([^)]{0,80}\))?\s+)*(?:(?:public|private|protected|internal|static|final|abstract|sealed|override|virtual|async|synchronized|native|default|extern|unsafe|partial|new)\s+)*(?:<[^()]{0,80}>\s*)?[\w<>[\],.?]+(?:\s+[\w<>[\],.?&]+){0,6}\s+(?<name>\w+)\s*(?:<[^()]{0,60}>)?\([^;]{0,300}(?:[){,(]|throws\s.{0,80}|=>.{0,120})\s*;?\s*$/,
    'method',
  ),
  callable(
    /^\s+(?:public|private|protected|internal)\s+(?<name>[A-Z]\w*)\s*\([^;]{0,300}[){,(]\s*$/,
    'method',
  ),
] satisfies DefinitionRule[]

const KOTLIN_LIKE = [
  types(
    'class|interface|object|enum class|typealias|trait|enum|struct|protocol|actor|extension|type|package object|given',
    `${JVM}|companion|indirect|(?:public|private|internal|fileprivate)\\(set\\)|mutating`,
  ),
  callable(
    /^\s*(?:(?:[a-z]+|@\w+(?:\([^)]{0,80}\))?|private\[\w+\])\s+)*(?:fun|func|def)\s+(?:<[^()]{0,80}>\s*)?(?:[\w<>?,*]+\.)?(?<name>[\w`$]+|[-+*/%&|<>=!~^:]+)/,
  ),
  callable(/^\s*(?:(?:[a-z]+)\s+)*init\s*[?!]?\s*(?:<[^()]{0,60}>)?\((?<name>)/, 'method'),
  {
    pattern:
      /^(?:(?:public|private|internal|protected|static|final|override|implicit|lazy|const)\s+)*(?:val|var|let)\s+(?<name>[A-Za-z_]\w*)/,
    type: 'constant',
  },
] satisfies DefinitionRule[]

const RUBY = [
  types('class|module', 'private'),
  callable(
    /^\s*(?:private\s+|protected\s+)?def\s+(?:self\.|\w+\.)?(?<name>[A-Za-z_]\w*[?!=]?|[-+*/%<>=![\]]+)/,
  ),
  { pattern: /^\s*(?<name>[A-Z][A-Z0-9_]+)\s*=/, type: 'constant' },
  callable(/^\s*(?:macro|function)\s+(?:\w+\.)?(?<name>[A-Za-z_]\w*!?)/),
] satisfies DefinitionRule[]

const VB: Readonly<Record<string, SymbolType>> = {
  class: 'class',
  module: 'module',
  interface: 'interface',
  structure: 'class',
  enum: 'class',
  sub: 'function',
  function: 'function',
  property: 'method',
}

const OBJC: Readonly<Record<string, SymbolType>> = {
  interface: 'class',
  implementation: 'class',
  protocol: 'interface',
}

/** Rules by language; a language that is absent has no definitions to scan for. */
export const DEFINITION_RULES: Readonly<Record<string, readonly DefinitionRule[]>> = {
  ...FUNCTIONAL_RULES,
  typescript: ECMA,
  tsx: ECMA,
  javascript: ECMA,
  vue: ECMA,
  svelte: ECMA,
  python: [
    types('class', 'x'),
    callable(/^\s*(?:async\s+)?def\s+(?<name>\w+)/),
    callable(/^\s*(?:cpdef|cdef)\s+(?:[\w*]+\s+)?(?<name>\w+)\s*\(/),
    { pattern: /^(?<name>[A-Z][A-Z0-9_]+)\s*(?::[^=]{1,80})?=/, type: 'constant' },
    {
      pattern:
        /^(?<name>[A-Za-z_]\w*)\s*(?::\s*TypeAlias\s*)?=\s*(?:TypeVar|NewType|Union|Literal|namedtuple)\b/,
      type: 'interface',
    },
  ],
  go: [
    callable(/^func\s+(?<name>\w+)/),
    callable(/^func\s+\([^)]{0,120}\)\s*(?<name>\w+)/, 'method'),
    {
      pattern: /^type\s+(?<name>\w+)(?:\[[^\]]{0,80}\])?\s+(?<keyword>struct|interface|\S)/,
      type: { struct: 'class', interface: 'interface' },
    },
    { pattern: /^(?:const|var)\s+(?<name>\w+)/, type: 'constant' },
  ],
  rust: [
    types('struct|enum|union|trait|mod|type', 'pub(?:\\([^)]*\\))?|unsafe|auto'),
    callable(
      /^\s*(?:(?:pub(?:\([^)]{0,40}\))?|async|const|unsafe|default|extern(?:\s+"[^"]{0,20}")?)\s+)*fn\s+(?<name>\w+)/,
    ),
    {
      pattern:
        /^\s*(?:unsafe\s+)?impl(?:<.{0,200}?>)?\s+(?:.{1,200}\s+for\s+)?(?:[\w:]+::)?(?<name>[A-Z]\w*)/,
      type: 'class',
    },
    callable(/^\s*macro_rules!\s*(?<name>\w+)/),
    {
      pattern:
        /^\s*(?:pub(?:\([^)]{0,40}\))?\s+)?(?:const|static)\s+(?:mut\s+)?(?<name>[A-Z_][A-Z0-9_]*)\s*:/,
      type: 'constant',
    },
  ],
  java: JAVA_LIKE,
  csharp: JAVA_LIKE,
  groovy: [...JAVA_LIKE, ...KOTLIN_LIKE],
  kotlin: KOTLIN_LIKE,
  scala: KOTLIN_LIKE,
  swift: KOTLIN_LIKE,
  dart: [
    types('class|mixin class|mixin|enum|extension type|extension|typedef', `${JVM}|base|interface`),
    callable(
      /^(?!\s*(?:return|else|if|for|while|switch|case|throw|new|catch|await|assert|yield)\b)\s*(?:(?:static|external|abstract|final|late|covariant|factory|const)\s+)*(?:[\w<>?,.[\]]+\s+)?(?:get\s+|set\s+|operator\s+)?(?<name>\w+(?:\.\w+)?)\s*(?:<[^()]{0,60}>)?\([^;]{0,300}(?:[{(,[]|=>.{0,200}|async\*?\s*\{)\s*;?\s*$/,
    ),
  ],
  c: C_LIKE,
  cpp: C_LIKE,
  'objective-c': [
    { pattern: /^\s*@(?<keyword>interface|implementation|protocol)\s+(?<name>\w+)/, type: OBJC },
    callable(/^\s*[-+]\s*\([^)]{1,80}\)\s*(?<name>\w+)/, 'method'),
    ...C_LIKE,
  ],
  zig: [
    callable(/^\s*(?:(?:pub|export|inline|extern)\s+)*fn\s+(?<name>\w+)/),
    {
      pattern:
        /^\s*(?:pub\s+)?const\s+(?<name>\w+)\s*=\s*(?:packed\s+|extern\s+)?(?<keyword>struct|enum|union|error)?/,
      type: { struct: 'class', enum: 'class', union: 'class' },
    },
  ],
  solidity: [
    types('contract|interface|library|struct|enum', 'abstract'),
    callable(/^\s*(?:function|modifier|event|error)\s+(?<name>\w+)/),
  ],
  php: [
    types('class|interface|trait|enum|namespace', JVM),
    callable(
      /^\s*(?:(?:public|private|protected|static|final|abstract)\s+)*function\s+&?\s*(?<name>\w+)/,
    ),
    {
      pattern:
        /^\s*(?:(?:public|private|protected|final)\s+)*const\s+(?:\w+\s+)?(?<name>[A-Z]\w*)\s*=/,
      type: 'constant',
    },
  ],
  ruby: RUBY,
  julia: [
    types('struct|abstract type|primitive type|module|baremodule', 'mutable'),
    callable(/^\s*(?:@\w+\s+)*(?:function|macro)\s+(?:[\w.]+\.)?(?<name>[A-Za-z_]\w*!?)/),
    callable(
      /^(?:[\w.]+\.)?(?<name>[A-Za-z_]\w*!?)\([^=]{0,200}\)(?:::\w+)?(?:\s+where\s.{1,80})?\s*=(?!=)/,
    ),
    { pattern: /^const\s+(?<name>\w+)/, type: 'constant' },
  ],
  nim: [
    callable(/^\s*(?:proc|func|method|iterator|template|macro|converter)\s+`?(?<name>\w+)/),
    {
      pattern: /^\s*(?<name>[A-Z]\w*)\*?\s*=\s*(?:ref\s+|ptr\s+)?(?:object|enum|tuple|distinct)\b/,
      type: 'class',
    },
  ],
  nix: [callable(/^\s{0,4}(?<name>[\w'-]+)\s*=\s*(?:\{|[\w'{][^=;]{0,120}:)/)],
  vb: [
    {
      pattern:
        /^\s*(?:(?:public|private|protected|friend|shared|partial|mustinherit|notinheritable|overrides|overridable)\s+)*(?<keyword>class|module|interface|structure|enum|sub|function|property)\s+(?<name>\w+)/i,
      type: VB,
    },
  ],
  coffeescript: [
    types('class', 'x'),
    callable(/^\s*@?(?<name>[A-Za-z_$][\w$]*)\s*[:=]\s*(?:\([^)]{0,200}\)\s*)?[-=]>/),
  ],
  vala: JAVA_LIKE,
  d: [types('module|class|interface|struct|enum|union|template', JVM), ...C_LIKE],
  verilog: [
    types('module|interface|package|class', 'virtual'),
    callable(/^\s*(?:function|task)\s+(?:automatic\s+)?(?:[\w[\]:]+\s+)?(?<name>\w+)\s*[(;]/),
  ],
  tcl: [callable(/^\s*(?:proc|method)\s+(?<name>[\w:.-]+)/)],
  awk: [callable(/^\s*func(?:tion)?\s+(?<name>\w+)/)],
  batch: [callable(/^:(?<name>\w[\w-]*)/)],
  m4: [callable(/^\s*(?:AC_DEFUN|m4_define|define)\(\[?(?<name>\w+)/)],
  thrift: [types('struct|service|enum|union|exception', 'x')],
  prisma: [types('model|enum|type|view', 'x')],
  assembly: [callable(/^(?<name>[A-Za-z_.$][\w.$]*):/)],
  lua: [
    callable(/^\s*(?:local\s+)?function\s+(?:[\w.]+[.:])?(?<name>\w+)/),
    callable(/^\s*(?:local\s+)?(?:[\w.]+\.)?(?<name>\w+)\s*=\s*function\b/),
    { pattern: /^local\s+(?<name>[A-Z]\w*)\s*=\s*\{/, type: 'class' },
  ],
  vim: [callable(/^\s*(?:fu|function)!?\s+(?:[a-z]:)?(?<name>[\w#.]+)/)],
  pascal: [callable(/^\s*(?:procedure|function|constructor|destructor)\s+(?:\w+\.)?(?<name>\w+)/i)],
  fortran: [callable(/^\s*(?:\w+\s+)*(?:subroutine|function|module|program)\s+(?<name>\w+)/i)],
  perl: [
    callable(/^\s*(?:sub|method|fun)\s+(?<name>\w+)/),
    { pattern: /^\s*(?<keyword>package|class|role)\s+(?<name>[\w:]+)/, type: KEYWORD_TYPES },
    { pattern: /^\s*use\s+constant\s+(?<name>\w+)/, type: 'constant' },
  ],
  r: [
    callable(/^\s*[`"']?(?<name>[\w.]+(?:<-)?)[`"']?\s*(?:<-|<<-|=)\s*(?:function\b|\\\()/),
    {
      pattern: /^\s*(?<name>[\w.]+)\s*(?:<-|=)\s*(?:R6::)?(?:R6Class|setRefClass|new_class)\b/,
      type: 'class',
    },
    callable(/^\s*set(?:Generic|Method|Class|Validity)\(\s*["'](?<name>[\w.]+)/),
  ],
  bash: [
    callable(/^\s*(?:function\s+)?(?<name>[\w.:-]+)\s*\(\)/),
    callable(/^\s*function\s+(?<name>[\w.:-]+)/),
    callable(/^\s*@test\s+(?:"(?<name>[^"]{1,80})")/),
  ],
  powershell: [callable(/^\s*function\s+(?:\w+:)?(?<name>[\w-]+)/i), types('class|enum', 'x')],
  sql: [
    callable(
      /^\s*(?:create|alter)\s+(?:or\s+(?:replace|alter)\s+)?(?:temp(?:orary)?\s+|unique\s+|materialized\s+|unlogged\s+|external\s+)*(?:table|view|function|procedure|trigger|index|type|schema|domain|sequence|policy|extension)\s+(?:if\s+(?:not\s+)?exists\s+)?(?:["`[]?\w+["`\]]?\.)?["`[]?(?<name>\w+)/i,
    ),
  ],
  graphql: [types('type|interface|enum|union|input|scalar', 'extend')],
  protobuf: [types('message|service|enum', 'x'), callable(/^\s*rpc\s+(?<name>\w+)/, 'method')],
  css: [
    { pattern: /^(?<name>(?:[.#][\w-]+|:root|@[\w-]+\s+[\w-]+))[^;]{0,200}\{\s*$/, type: 'class' },
  ],
  scss: [
    {
      pattern: /^\s*(?<name>(?:[.#&][\w-]+|@(?:mixin|function)\s+[\w-]+))[^;]{0,200}\{\s*$/,
      type: 'class',
    },
  ],
  make: [callable(/^(?<name>[\w./-]+)\s*:(?!=)/)],
  cmake: [callable(/^\s*(?:function|macro)\s*\(\s*(?<name>\w+)/i)],
}
