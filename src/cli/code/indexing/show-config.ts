import { PROJECT_FILE } from '../../../builtins/code/cocosearch-names.ts'
import { stringify } from 'yaml'
import { builtinOptionsFrom } from '../../../app/builtins/builtin-context.ts'
import {
  type CodeConfig,
  CodeConfigError,
  findCodeConfig,
  loadCodeConfig,
} from '../../../builtins/code/project/code-config.ts'
import { IndexStore } from '../../../builtins/code/engine/index/index-store.ts'
import { unusedVariables } from '../../../builtins/code/project/environment.ts'
import { findProject } from '../../../builtins/code/project/find-project.ts'
import { projectOfUser } from '../project-of-user.ts'

function foldersHere(): { readonly root: string; readonly folders: readonly string[] } {
  const { root, git } = findProject(projectOfUser().path)
  return { root, folders: [root, ...(git ? [git.root] : [])] }
}

/** Includes the `code` section of portolan.yaml, as the server and the other commands do. */
function configHere(folders: readonly string[]): CodeConfig {
  return loadCodeConfig(folders, { ...builtinOptionsFrom('code', process.env).env })
}

/** Prints the settings in force. Throws if a file is invalid, and says why. */
export function showConfig(): void {
  const { root, folders } = foldersHere()
  const { warnings, ...settings } = configHere(folders)
  process.stdout.write(`# ${root}\n${stringify(settings)}`)
  for (const warning of warnings) process.stderr.write(`${warning}\n`)
}

/** Prints which file the settings come from; returns false if there is none. */
export function showConfigPath(): boolean {
  const { root, folders } = foldersHere()
  const path = findCodeConfig(folders)
  if (path === undefined) process.stderr.write(`There is no ${PROJECT_FILE} for ${root}\n`)
  else process.stdout.write(`${path}\n`)
  return path !== undefined
}

/** Prints whether the settings are valid and, if not, why; returns false if they are not. */
export function checkConfig(): boolean {
  const { folders } = foldersHere()
  try {
    const { warnings } = configHere(folders)
    process.stdout.write(`${findCodeConfig(folders) ?? `no ${PROJECT_FILE}`}: ok\n`)
    const unused = unusedVariables(
      process.env,
      new IndexStore(builtinOptionsFrom('code', process.env).home).folder,
    )
    for (const note of [...warnings, ...unused]) process.stderr.write(`${note}\n`)
    return true
  } catch (error) {
    if (!(error instanceof CodeConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    return false
  }
}
