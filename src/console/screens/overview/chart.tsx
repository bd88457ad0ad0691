import { type Day, scaleEnd } from './series.ts'
import { textures, useTextures } from './texture.tsx'
import { useNumbers } from '../../words/use-numbers.ts'

/** Pixels. */
const height = 160

interface ChartProps {
  readonly days: readonly Day[]
  /** The words in the order of the counts of each day. */
  readonly names: readonly string[]
}

/** A bar for each day. Screen readers have the table below it instead. */
export function Chart({ days, names }: ChartProps) {
  const numbers = useNumbers()
  const end = scaleEnd(Math.max(...days.map(({ total }) => total)))
  const shownDays = [days[0], days[Math.floor(days.length / 2)], days.at(-1)].filter((each) => each !== undefined)
  return (
    <div class="chart" aria-hidden="true">
      <div class="chart-scale">
        {[end, end / 2, 0].map((value) => (
          <span key={value}>{numbers.rough(value)}</span>
        ))}
      </div>
      <Bars days={days} names={names} end={end} />
      <div class="chart-days">
        {shownDays.map(({ at }) => (
          <span key={at}>{numbers.day(at)}</span>
        ))}
      </div>
    </div>
  )
}

function Bars({ days, names, end }: ChartProps & { readonly end: number }) {
  const numbers = useNumbers()
  const { fill, definitions } = useTextures()
  return (
    <svg class="bars mirrored" width="100%" height={height} focusable="false">
      {definitions}
      {[0, 0.5, 1].map((part) => (
        <line key={part} x1="0" x2="100%" y1={lineAt(part)} y2={lineAt(part)} />
      ))}
      {days.map(({ at, counts }, index) => (
        <g key={at}>
          <title>
            {[numbers.day(at), ...counts.map((count, i) => `${names[i]}: ${numbers.count(count)}`)].join('\n')}
          </title>
          {/* So that the whole height of a day shows its numbers. */}
          <rect class="day" x={percent(index, days.length)} width={percent(1, days.length)} y="0" height={height} />
          {stack(counts, end).map(({ y, height: barHeight }, i) => {
            const texture = textures[i] ?? 'solid'
            return barHeight === 0 ? null : (
              <rect
                key={texture}
                class={`shape ${texture}`}
                fill={fill(texture)}
                x={percent(index + 0.15, days.length)}
                width={percent(0.7, days.length)}
                y={y}
                height={barHeight}
              />
            )
          })}
        </g>
      ))}
    </svg>
  )
}

/** Whole pixels are sharp. */
const lineAt = (part: number): number => Math.min(height - 0.5, Math.max(0.5, Math.round(height * (1 - part)) - 0.5))

const percent = (part: number, total: number): string => `${((100 * part) / total).toFixed(2)}%`

/** One above the other, from the bottom. What is not zero can be seen. */
function stack(counts: readonly number[], end: number): { readonly y: number; readonly height: number }[] {
  let top = height
  return counts.map((count) => {
    const barHeight = count === 0 ? 0 : Math.max(2, (height * count) / end)
    top -= barHeight
    return { y: top, height: barHeight }
  })
}
