import type { ServiceContext } from '../../../protocol/service.ts'
import type { CodeConfig } from '../project/code-config.ts'
import { findProject } from '../project/find-project.ts'
import type { CodeDeps } from '../tools/code-deps.ts'
import { configOf } from '../tools/indexing/find-index.ts'

/** The settings of the project the caller works in. */
export async function settingsHere(
  deps: Pick<CodeDeps, 'env'>,
  { project }: Pick<ServiceContext, 'project'>,
): Promise<CodeConfig> {
  return configOf(findProject((await project()).path), deps)
}
