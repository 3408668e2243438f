import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import type { ServiceContext } from '../../../protocol/service.ts'
import type { CodeDeps } from '../tools/code-deps.ts'
import { InBandError } from '../tools/in-band-error.ts'
import { findFile } from './find-file.ts'
import type { FileRequest } from './inputs.ts'

type Place = (file: string, line: number) => string[]

const afterFile: Place = (file, line) => [`${file}:${line}`]
const inCode: Place = (file, line) => ['--goto', `${file}:${line}`]
const inIdea: Place = (file, line) => ['--line', String(line), file]

/** How each graphical editor takes a line number; one not listed here just opens the file. */
const PLACES: Readonly<Record<string, Place>> = {
  code: inCode,
  'code-insiders': inCode,
  codium: inCode,
  cursor: inCode,
  windsurf: inCode,
  zed: afterFile,
  subl: afterFile,
  atom: afterFile,
  idea: inIdea,
  pycharm: inIdea,
  webstorm: inIdea,
  goland: inIdea,
  mate: (file, line) => ['--line', String(line), file],
  gvim: (file, line) => [`+${line}`, file],
  emacsclient: (file, line) => ['--no-wait', `+${line}`, file],
}

const NEED_TERMINAL = new Set(['vi', 'vim', 'nvim', 'nano', 'hx', 'helix', 'micro', 'emacs', 'ed'])

/** Shows a file in the editor of the user who runs this server. */
export async function openInEditor(
  request: FileRequest,
  deps: CodeDeps,
  context: ServiceContext,
): Promise<Record<string, unknown>> {
  const path = await findFile(request, deps, context)
  const { program, args } = editorOf(deps.env)
  const name = basename(program).replace(/\.(?:exe|cmd)$/i, '')
  if (NEED_TERMINAL.has(name))
    throw new InBandError(
      'No editor',
      `${name} needs a terminal, and a server has none. Set COCOSEARCH_EDITOR to an editor with a window, such as code`,
    )
  const { line = 1 } = request
  await start(program, [...args, ...(PLACES[name]?.(path, line) ?? [path])])
  return { success: true, editor: name, path, line }
}

function editorOf(env: NodeJS.ProcessEnv): { program: string; args: string[] } {
  const command = env['COCOSEARCH_EDITOR'] || env['EDITOR'] || env['VISUAL']
  const [program, ...args] =
    command?.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? []
  if (program === undefined)
    throw new InBandError('No editor', 'Set COCOSEARCH_EDITOR, EDITOR or VISUAL to your editor')
  return { program, args }
}

async function start(program: string, args: readonly string[]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true })
    child.once('error', (error) =>
      reject(
        new InBandError('No editor', `${program} cannot be started: ${error.message}`, {}, error),
      ),
    )
    child.once('spawn', () => {
      child.unref()
      resolve()
    })
  })
}
