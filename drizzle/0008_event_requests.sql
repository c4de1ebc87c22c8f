ALTER TABLE "events" ADD COLUMN "correlation" text;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "correlation" text;