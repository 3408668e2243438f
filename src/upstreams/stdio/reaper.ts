import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Ends the process groups of our children when this process dies without a chance to do it itself
 * (`kill -9`, a crash, the OOM killer). A shell of about 1 MB holds the other end of a pipe: when
 * the pipe closes, we are gone, and it kills what is still on its list.
 */
const SCRIPT = `
trap '' HUP INT TERM
groups=''
while read -r verb group; do
  case $verb in
    add) groups="$groups $group" ;;
    del) kept=''
      for g in $groups; do [ "$g" = "$group" ] || kept="$kept $g"; done
      groups=$kept ;;
  esac
done
for g in $groups; do kill -TERM -"$g" 2>/dev/null; done
[ -n "$groups" ] && sleep 1
for g in $groups; do kill -KILL -"$g" 2>/dev/null; done
exit 0
`

let shell: ChildProcess | undefined

export function guardGroup(group: number): void {
  if (process.platform === 'win32') return
  shell ??= startShell()
  shell.stdin?.write(`add ${group}\n`)
}

export function releaseGroup(group: number): void {
  shell?.stdin?.write(`del ${group}\n`)
}

function startShell(): ChildProcess {
  const child = spawn('/bin/sh', ['-c', SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  child.on('error', () => undefined)
  child.stdin?.on('error', () => undefined)
  child.unref()
  // The pipe must not keep this process alive: it is there to notice its end.
  const pipe = child.stdin
  if (pipe && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
  return child
}
