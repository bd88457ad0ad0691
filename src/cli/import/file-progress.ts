import { stepBytes } from '../../service/features/hardware/files/file-text.ts'
import type { Progress } from '../terminal/progress.ts'

/** Shows the progress of an import: its first half is reading the file, its second half is storing the rows. */
export function fileProgress(bytes: Buffer, { update }: Progress) {
  function* read() {
    for (let start = 0; start < bytes.length; start += stepBytes) {
      yield bytes.subarray(start, start + stepBytes)
      update(start, 2 * bytes.length)
    }
  }
  return { file: read(), progress: (done: number, total: number) => update(total + done, 2 * total) }
}
