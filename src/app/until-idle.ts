import type { Feed } from '../telemetry/feed.ts'

/** Resolves once there was no call for so long; never where no time is given. */
export async function untilIdle(
  feed: Pick<Feed, 'listen'>,
  idleMs: number | undefined,
): Promise<void> {
  await new Promise<void>((resolve) => {
    if (idleMs === undefined) return
    const timer = setTimeout(resolve, idleMs).unref()
    feed.listen(() => timer.refresh())
  })
}
