/** Why there is no picture; the name of its text in `Words`. */
export type CameraTrouble = 'scanDenied' | 'scanNone'

/** Shows the rear camera until `signal` aborts, which turns the camera off. */
export async function openCamera(video: HTMLVideoElement, signal: AbortSignal): Promise<CameraTrouble | undefined> {
  try {
    // Undefined on insecure pages and in old browsers.
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
