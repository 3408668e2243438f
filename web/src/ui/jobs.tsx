import type { Job } from '../../../src/dashboard/contract/builtins.ts'
import { formatAgo, formatWhole } from '../format.ts'
import { Badge, type Tone } from './figures/badge.tsx'
import { Panel } from './panel.tsx'

const TONES: Readonly<Record<Job['status'], Tone>> = {
  queued: 'idle',
  running: 'info',
  done: 'ok',
  failed: 'bad',
  cancelled: 'idle',
}

const WORDS: Readonly<Record<Job['status'], string>> = {
  queued: 'Waiting',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

export function isBusy(jobs: readonly Job[]): boolean {
  return jobs.some(({ status }) => status === 'queued' || status === 'running')
}

/** The progress of background jobs. */
export function Jobs({ title, jobs }: { readonly title: string; readonly jobs: readonly Job[] }) {
  if (jobs.length === 0) return null
  return (
    <Panel title={title}>
      <ul class="jobs">
        {jobs.slice(0, 8).map((job) => (
          <li key={job.job_id}>
            <p>
              <Badge tone={TONES[job.status]}>{WORDS[job.status]}</Badge>{' '}
              <span class="mono">{job.targets.join(', ')}</span>{' '}
              <span class="dim">
                {counted(job)}{' '}
                {formatAgo(Date.parse(isBusy([job]) ? job.created_at : job.updated_at))}
              </span>
            </p>
            {isBusy([job]) && (
              <progress
                aria-label={`Progress of ${job.targets.join(', ')}`}
                {...(job.total > 0 && { value: job.done, max: job.total })}
              />
            )}
            {job.errors.length > 0 ? (
              <ul class="job-errors">
                {job.errors.map((error, n) => (
                  <li key={n}>
                    {error.location && <code>{error.location}</code>}{' '}
                    <span class="bad-text">{explained(error)}</span>
                  </li>
                ))}
              </ul>
            ) : (
              job.current !== null && <p class="small">{job.current}</p>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function explained({ message, suggestion }: Job['errors'][number]): string {
  return suggestion ? `${message}. ${suggestion}` : message
}

function counted({ done, total }: Job): string {
  if (total === 0) return done === 0 ? '' : `${formatWhole(done)} ·`
  return `${formatWhole(done)} of ${formatWhole(total)} ·`
}
