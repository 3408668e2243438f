import type { Job } from '../../../src/dashboard/contract/builtins.ts'
import { formatAgo, formatWhole } from '../format.ts'
import { Badge, type Tone } from './figures/badge.tsx'
import { Panel } from './panel.tsx'

const TONES: Readonly<Record<Job['state'], Tone>> = {
  waiting: 'idle',
  running: 'info',
  done: 'ok',
  failed: 'bad',
  cancelled: 'idle',
}

const WORDS: Readonly<Record<Job['state'], string>> = {
  waiting: 'Waiting',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

export function isBusy(jobs: readonly Job[]): boolean {
  return jobs.some(({ state }) => state === 'waiting' || state === 'running')
}

/** The progress of background jobs. */
export function Jobs({ title, jobs }: { readonly title: string; readonly jobs: readonly Job[] }) {
  if (jobs.length === 0) return null
  return (
    <Panel title={title}>
      <ul class="jobs">
        {jobs.slice(0, 8).map((job) => (
          <li key={job.id}>
            <p>
              <Badge tone={TONES[job.state]}>{WORDS[job.state]}</Badge>{' '}
              <span class="mono">{job.title}</span>{' '}
              <span class="dim">
                {counted(job)} {formatAgo(Date.parse(job.endedAt ?? job.startedAt))}
              </span>
            </p>
            {(job.state === 'running' || job.state === 'waiting') && (
              <progress
                aria-label={`Progress of ${job.title}`}
                {...(job.total !== null && { value: job.done, max: Math.max(1, job.total) })}
              />
            )}
            {job.error !== null ? (
              <p class="bad-text">{job.error}</p>
            ) : (
              job.message !== null && <p class="small">{job.message}</p>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function counted({ done, total }: Job): string {
  if (total === null) return done === 0 ? '' : `${formatWhole(done)} ·`
  return `${formatWhole(done)} of ${formatWhole(total)} ·`
}
