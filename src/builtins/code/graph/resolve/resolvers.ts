import type { Resolve } from '../import-ref.ts'
import type { ProjectFiles } from '../project-files.ts'
import {
  createIncludeResolver,
  createPlainResolver,
  createRubyResolver,
  createSassResolver,
} from './resolve-by-path.ts'
import { createConfigResolver } from './resolve-config.ts'
import { createDeclaredResolver } from './resolve-declared.ts'
import { createEcmaResolver } from './resolve-ecma.ts'
import { createGoResolver } from './resolve-go.ts'
import { createJvmResolver } from './resolve-jvm.ts'
import { createPhpResolver } from './resolve-php.ts'
import { createPythonResolver } from './resolve-python.ts'
import { createRustResolver } from './resolve-rust.ts'

type Create = (files: ProjectFiles) => Resolve

const CREATE: readonly (readonly [languages: string, create: Create])[] = [
  ['typescript tsx javascript vue svelte', createEcmaResolver],
  ['python', createPythonResolver],
  ['go', createGoResolver],
  ['rust', createRustResolver],
  ['java kotlin scala groovy', createJvmResolver],
  ['c cpp objective-c', createIncludeResolver],
  ['ruby', createRubyResolver],
  ['php', createPhpResolver],
  ['csharp elixir', createDeclaredResolver],
  ['lua', (files) => createPlainResolver(files, ['.lua', '/init.lua'], true)],
  ['scss', createSassResolver],
  ['haskell', (files) => createPlainResolver(files, ['.hs'], true)],
  [
    'dart bash css protobuf zig',
    (files) => createPlainResolver(files, ['.dart', '.sh', '.css', '.scss', '.proto', '.zig']),
  ],
]

const BY_LANGUAGE = new Map(
  CREATE.flatMap(([languages, create]) =>
    languages.split(' ').map((language) => [language, create] as const),
  ),
)

/** Creates the resolver of a language on first use: most projects need one or two. */
export function createResolvers(open: () => ProjectFiles): (language: string) => Resolve {
  let files: ProjectFiles | undefined
  const made = new Map<Create, Resolve>()
  return (language) => {
    const create = BY_LANGUAGE.get(language) ?? createConfigResolver
    const known = made.get(create) ?? create((files ??= open()))
    made.set(create, known)
    return known
  }
}
