import { encodeQR } from 'qr'

/** Modules without ink around a code. ISO/IEC 18004 asks for four. */
const quietZone = 4

/** A small QR code as SVG: one line for each run of dark modules, which is a third of the size of a shape for each module. */
export function qrSvg(text: string): string {
  // The package draws a border of at least one module. Here the view box leaves more room, and takes no bytes for it.
  const rows = encodeQR(text, 'raw', { ecc: 'low', border: 1 }).slice(1, -1)
  const size = rows.length + 2 * quietZone
  const lines = rows.map((row, y) => `M0 ${y}.5${lineOf(row.slice(1, -1))}`)
  return `<svg viewBox="-${quietZone} -${quietZone} ${size} ${size}"><path stroke="#000" d="${lines.join('')}"/></svg>`
}

const lineOf = (row: readonly boolean[]) =>
  row
    .slice(0, row.lastIndexOf(true) + 1)
    .map(Number)
    .join('')
    .replaceAll(/0+|1+/g, part)
const part = (run: string): string => (run.startsWith('1') ? `h${run.length}` : `m${run.length} 0`)
