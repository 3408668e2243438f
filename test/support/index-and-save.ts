// Run as a process of its own by the tests that kill it: indexes a folder over and over until it is killed.
import { CodeLibrary } from '../../src/builtins/code/engine/index/code-library.ts'
import { DEFAULT_SETTINGS } from '../../src/builtins/code/engine/index/index-settings.ts'
import { projectAt } from '../../src/builtins/code/project/find-project.ts'

const [root = '.', home = '.'] = process.argv.slice(2)
const library = new CodeLibrary({ home })
for (;;) {
  process.stdout.write('indexing\n')
  await library.build(projectAt(root), 'killed', DEFAULT_SETTINGS, { fresh: true })
}
