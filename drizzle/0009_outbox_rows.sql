ALTER TABLE "outbox" ALTER COLUMN "type" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "outbox" ALTER COLUMN "subject" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "outbox" ALTER COLUMN "data" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "size" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "types" text[];--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "subjects" text[];--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "images" json[];--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "correlations" text[];--> statement-breakpoint
-- Rows live for a moment only: to compress them would take longer than to write them as they are.
ALTER TABLE "outbox" ALTER COLUMN "types" SET STORAGE EXTERNAL, ALTER COLUMN "subjects" SET STORAGE EXTERNAL, ALTER COLUMN "images" SET STORAGE EXTERNAL, ALTER COLUMN "correlations" SET STORAGE EXTERNAL;--> statement-breakpoint
ALTER TABLE "outbox" SET (toast_tuple_target = 8160);
