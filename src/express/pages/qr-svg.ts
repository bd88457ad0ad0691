import { encodeQR } from 'qr'

/** A small QR code as SVG: one line for each run of dark modules, which is a third of the size of a shape for each module. */
export function qrSvg(text: string): string {
  const rows = encodeQR(text, 'raw', { ecc: 'low', border: 4 })
  const lines = rows.map((row, y) => `M0 ${y}.5${row.map(Number).join('').replaceAll(/0+|1+/g, line)}`)
  return `<svg viewBox="0 0 ${rows.length} ${rows.length}"><path stroke="#000" d="${lines.join('')}"/></svg>`
}

const line = (run: string): string => (run.startsWith('1') ? `h${run.length}` : `m${run.length} 0`)
