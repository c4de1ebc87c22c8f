import type { ReportEntry } from '../../lifecycle/report.ts';

/** The badge of the level, and that of the stability if it is another one and not stable. */
export function badges({ level, stability }: Pick<ReportEntry, 'level' | 'stability'>): string {
  return level === stability || stability === 'stable' ? badge(level) : `${badge(level)} ${badge(stability)}`;
}

/** A level as a small label. */
export function badge(level: ReportEntry['level'] | ReportEntry['stability']): string {
  return `<span class="level ${level}">${level}</span>`;
}
