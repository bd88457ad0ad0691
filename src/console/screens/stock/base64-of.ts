/** The content of a file in base64. The browser encodes it, which is faster than a script. */
export function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file cannot be read.')))
    reader.addEventListener('load', () => resolve((reader.result as string).replace(/^.*,/, '')))
    reader.readAsDataURL(file)
  })
}
