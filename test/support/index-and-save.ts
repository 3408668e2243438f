// Indexes a folder repeatedly until it is killed; tests run it as a separate process.
import { CodeLibrary } from '../../src/builtins/code/engine/index/code-library.ts'
import { DEFAULT_SETTINGS } from '../../src/builtins/code/engine/index/index-settings.ts'
import { projectAt } from '../../src/builtins/code/project/find-project.ts'

const [root = '.', home = '.'] = process.argv.slice(2)
const library = new CodeLibrary({ home })
for (;;) {
  process.stdout.write('indexing\n')
  await library.build(projectAt(root), 'killed', DEFAULT_SETTINGS, { fresh: true })
}
