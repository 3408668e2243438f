import { queried, setQuery } from '../../router.ts'
import { Page } from '../../ui/page.tsx'
import { Run } from './run.tsx'
import { RunList } from './run-list.tsx'
import { SavedScripts } from './saved-scripts.tsx'

/** The runs of scripts and the saved scripts, or a single run. */
export function Scripts() {
  const run = queried('run')
  if (run !== '')
    return (
      <Page
        title="Run of a script"
        actions={
          <button type="button" onClick={() => setQuery({ run: undefined })}>
            All runs
          </button>
        }
      >
        <Run key={run} id={run} />
      </Page>
    )
  return (
    <Page title="Scripts" lead="Programs over tools: what they called, and those that are tools.">
      <SavedScripts />
      <RunList />
    </Page>
  )
}
