import { type DataSize, SMALL } from '../data/size.ts';
import { GROWTH_TARGET, TARGETS } from '../targets.ts';
import { type Build, type Contestant, PEERS, type PeerName, serviceOf } from './contestant.ts';
import * as workloads from './workload.ts';

/** A contestant on one of the databases. */
export interface Entrant {
  readonly name: string;
  readonly contestant: Contestant;
  readonly data: DataSize;
}

/** Entrants that do the same work in turns; the first is the one that the others are compared with. */
export interface Contest {
  readonly name: string;
  readonly workload: workloads.Workload;
  /** How many different requests there are. */
  readonly variety: number;
  readonly entrants: readonly Entrant[];
  /** By the others' names, the least ratio that the first is to have to each. */
  readonly targets: Readonly<Record<string, number>>;
  /** Whether they are contestants of the same work, whose answers and latencies are compared too. */
  readonly isAmongPeers: boolean;
}

const VARIETY = 4_000;
/** A request for so many pets of the large database: with millions, they read more than PostgreSQL keeps at hand. */
const PETS_PER_REQUEST = 250;

type Work = readonly [name: string, workload: workloads.Workload, peers: readonly PeerName[]];

/** The first of the peers is the one that `--check` compares with. */
const WORK: readonly Work[] = [
  ['REST get pet', workloads.getPet, ['Fastify', 'node:http']],
  ['REST list 20 orders', workloads.listOrders, ['Fastify']],
  ['REST create pet', workloads.createPet, ['Fastify']],
  ['REST place order', workloads.placeOrder, ['Fastify']],
  ['GraphQL pet by id', workloads.graphqlPet, ['Mercurius', 'Yoga', 'Apollo', 'PostGraphile']],
  ['GraphQL 20 pets with category and stock', workloads.graphqlPets, ['Mercurius', 'Yoga', 'PostGraphile', 'Apollo']],
  ['GraphQL create pet', workloads.graphqlCreatePet, ['Mercurius', 'Yoga', 'Apollo']],
];

/** Each workload, done by the service and its peers; further builds of the service come right after it. */
export function contestsAmongPeers(builds: readonly Build[]): Contest[] {
  return WORK.map(([name, workload, peers]) => ({
    name,
    workload,
    variety: VARIETY,
    entrants: [...builds.map(serviceOf), ...peers.map((peer) => PEERS[peer])].map((contestant) => ({
      name: contestant.name,
      contestant,
      data: SMALL,
    })),
    targets: TARGETS[name] ?? {},
    isAmongPeers: true,
  }));
}

/** Each workload that only reads, done by the service on the large database and on the small one. */
export function contestsOfGrowth(build: Build, large: DataSize): Contest[] {
  const contestant = serviceOf(build);
  const [less, more] = [SMALL, large].map((data) => ({ name: named(data), contestant, data })) as [Entrant, Entrant];
  return WORK.filter(([, workload]) => !workload.creates).map(([name, workload]) => ({
    name: `${name}, as the data grows`,
    workload,
    variety: Math.ceil(large.pets / PETS_PER_REQUEST),
    entrants: [more, less],
    targets: { [less.name]: GROWTH_TARGET },
    isAmongPeers: false,
  }));
}

/** The contest without the peers that no target is about. */
export function withTargetsAlone(contest: Contest): Contest {
  const { entrants, targets } = contest;
  const isPeer = ({ contestant }: Entrant) => Object.values(PEERS).includes(contestant);
  return { ...contest, entrants: entrants.filter((entrant) => !isPeer(entrant) || entrant.name in targets) };
}

function named({ pets }: DataSize): string {
  return `${pets.toLocaleString('en')} pets`;
}
