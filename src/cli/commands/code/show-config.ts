import { stringify } from 'yaml'
import { loadCodeConfig } from '../../../servers/code/project/code-config.ts'
import { findProject } from '../../../servers/code/project/find-project.ts'
import { projectOfUser } from './project-of-user.ts'

/** Prints the settings in force; a file that cannot be used fails with what is wrong in it. */
export function showConfig(): void {
  const project = findProject(projectOfUser().path)
  const config = loadCodeConfig([project.root, ...(project.git ? [project.git.root] : [])])
  process.stdout.write(`# ${project.root}\n${stringify(config)}`)
}
