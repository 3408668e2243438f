import { checkConfig } from '../../config/check.ts'
import type { LoadOptions } from '../../config/load.ts'
import { describeProblem } from '../../config/problem.ts'
import { type Finding, findings } from './finding.ts'

export function checkFiles(load: LoadOptions): Finding[] {
  const { ok, warn, fail } = findings('files')
  const { files, warnings, errors } = checkConfig(load)
  return [
    ...files.map(({ path, summary }) =>
      ok(path === undefined ? `${summary} (portolan init makes one)` : `${path}: ${summary}`),
    ),
    ...warnings.map((text) => warn(text, 'Mend the name in the rules, or add the server.')),
    ...errors.map(({ hint, ...problem }) =>
      fail(
        describeProblem(problem),
        hint ?? 'Edit the file; `portolan check` tells when it is right.',
      ),
    ),
  ]
}
