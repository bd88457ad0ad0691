/** The longest side that is tried first, and smaller ones while the file is too large, pixels. */
const sides = [512, 256, 128]

/** The limit of the service, bytes. In base64, each three bytes are four characters. */
const maxBytes = 256 * 1024

/** Makes a PNG that the service accepts, as a data URL. @throws {Error} if the browser cannot read the file as an image. */
export async function shrinkImage(file: Blob): Promise<string> {
  const bitmap = await createImageBitmap(file)
  try {
    for (const side of sides) {
      const url = pngOf(bitmap, Math.min(1, side / Math.max(bitmap.width, bitmap.height)))
      if ((url.length * 3) / 4 <= maxBytes) return url
    }
  } finally {
    bitmap.close()
  }
  throw new Error('the image stays too large')
}

function pngOf(bitmap: ImageBitmap, scale: number): string {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL('image/png')
}
