/** Why there is nothing to see; the name of the word that says so. */
export type CameraTrouble = 'scanDenied' | 'scanNone'

/** Shows the camera that looks away from the person, until `signal` aborts: then its light goes out. */
export async function openCamera(video: HTMLVideoElement, signal: AbortSignal): Promise<CameraTrouble | undefined> {
  try {
    // Missing on pages that are not secure, and in old browsers.
    const stream = await navigator.mediaDevices?.getUserMedia({ video: { facingMode: 'environment' }, audio: false })
    if (!stream) return 'scanNone'
    const stop = () => {
      for (const track of stream.getTracks()) track.stop()
      video.srcObject = null
    }
    signal.addEventListener('abort', stop)
    if (signal.aborted) {
      stop()
      return undefined
    }
    video.srcObject = stream
    await video.play()
    return undefined
  } catch (error) {
    if (signal.aborted) return undefined
    return error instanceof DOMException && error.name === 'NotAllowedError' ? 'scanDenied' : 'scanNone'
  }
}
