import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { type TempFolder, tempFolder } from './temp-folder.ts'

const CHUNK = Buffer.alloc(4096)

/** A folder whose data folder is a disk of its own; undefined where this user may mount none. */
export function folderWithDisk(size: string, folder = tempFolder()): TempFolder | undefined {
  const disk = folder.file('data')
  mkdirSync(disk)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk])
  if (status !== 0) return undefined
  onTestFinished(() => void spawnSync('umount', ['--lazy', disk]))
  return folder
}

/** Fills the disk to its last block; returns what frees it again. */
export function fill(folder: TempFolder): () => void {
  const file = folder.file('data/filler')
  try {
    for (;;) writeFileSync(file, CHUNK, { flag: 'a' })
  } catch {
    return () => rmSync(file)
  }
}
