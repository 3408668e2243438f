import { existsSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { detectProject, projectRoot } from '../detect-project.ts'
import { fire } from './fire.ts'
import type { HookAnswer, HookContext } from '../hook-context.ts'
import { type HookInput, textOf } from '../hook-input.ts'
import { withoutSensitive } from '../redact.ts'

const CODE = /\.(?:[cm]?[jt]sx?|py|rb|rs|go|java|kt|php|cs|swift|c|cc|cpp|h|ex|scala|sql|tf|sh)$/
/** How many of the last parts of a path describe a file. */
const PARTS = 3

/** Searches for traces before a new code file is written. */
export async function beforeWrite(input: HookInput, context: HookContext): Promise<HookAnswer> {
  const file = textOf(input.args['file_path'])
  if (!CODE.test(file) || existsSync(file) || withoutSensitive([basename(file)]).length === 0)
    return {}
  if (!(await fire('pre_code', await context.log.events(), context))) return {}
  const project = await detectProject(input.cwd)
  const { text } = await context.search({
    q: [...wordsOf(relative(projectRoot(input.cwd), file)), project.framework]
      .filter(Boolean)
      .join(' '),
    context: { ...project },
  })
  return text === '' ? {} : { context: `Traces that may help with ${basename(file)}.\n${text}` }
}

function wordsOf(path: string): string[] {
  return path
    .replace(/\.\w+$/, '')
    .split('/')
    .slice(-PARTS)
    .flatMap((part) => part.replaceAll(/([a-z])([A-Z])/g, '$1 $2').split(/[^A-Za-z]+/))
    .filter((word) => word.length > 2 && !/^(?:src|lib|app|main|index|test|tests)$/i.test(word))
}
