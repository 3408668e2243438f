import { type ChildProcess, spawnSync } from 'node:child_process'

/** Returns the test upstreams that a gateway runs, as lines of `ps`. */
export function upstreamsOf({ child }: { readonly child: ChildProcess }): string[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(child.pid)])
  return stdout
    .toString()
    .split('\n')
    .filter((line) => line.includes('upstream.mjs'))
}
